import { lazy, type ReactNode, Suspense } from 'react'
import { type DepositMethod, paymentMethods } from '#shared/coins.ts'
import type { PaymentRequest } from '#shared/contract/entities.ts'
import { confirmationMinutes } from '#shared/limits.ts'
import { withCommas } from '#shared/money.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Amount, Usd } from './amounts.tsx'
import { Coin, payAmount, rateWords, shortDecimal } from './crypto.tsx'
import { When } from './when.tsx'

const QrCode = lazy(() => import('./qr-code.tsx'))

/** The specification's note on every payment request (D-18). */
export const windowNote = 'Payments should be made within 15 minutes to avoid crypto value changes'

/** Unpaid fees are the commonest reason for underpayments. */
const feeNote = 'Send the full amount. Wallet or exchange fees are extra.'

/** Paying a low fee must not become a choice between two rates. */
const confirmationNote = `Choose a network fee that confirms soon. A payment that confirms more than ${confirmationMinutes} minutes after the time left has passed is credited at this rate or the rate of its confirmation, whichever is lower.`

type PaymentProps = {
  method: DepositMethod
  /** In USD. */
  amount: number
  payment: PaymentRequest
  /** A countdown, or what its end means. */
  time: ReactNode
}

/** Payment instructions from the server (D-18 to D-20, D-22): rate, amounts, address, code and time. */
export function PaymentDetails({ method, amount, payment, time }: PaymentProps) {
  const { asset } = payment
  // Wallets of some networks read the address alone.
  const isLink = payment.uri !== payment.address
  return (
    <div className="amounts-shown grid gap-x-10 gap-y-6 sm:grid-cols-[auto_minmax(0,1fr)]">
      <div className="grid content-start justify-items-center gap-3 sm:justify-items-start">
        <div className="size-48 overflow-hidden rounded-sm border border-rule bg-sunken">
          <Suspense fallback={<span className="sr-only">Loading the QR code</span>}>
            <QrCode
              text={payment.uri}
              label={
                isLink
                  ? `QR code: pay ${payAmount(method, payment)} ${asset}`
                  : 'QR code: the payment address'
              }
            />
          </Suspense>
        </div>
        {isLink ? (
          <a className="prose-link text-sm" href={payment.uri}>
            Open in your wallet
          </a>
        ) : (
          <p className="max-w-48 text-ink-soft text-sm">
            The code holds the address alone. Enter the amount in your wallet.
          </p>
        )}
      </div>
      <div className="grid content-start gap-4">
        <DescriptionList
          entries={[
            ['Current rate', rateWords(method, payment)],
            [
              'Amount to pay',
              <strong key="coin" className="numeral text-lg">
                <Coin method={method} payment={payment} />
              </strong>,
            ],
            ['In US dollars', <Usd key="usd" value={amount} />],
            ['Network', payment.network],
            ['Time left', time],
          ]}
        />
        <PaymentAddress method={method} address={payment.address} />
        <div className="flex flex-wrap gap-3">
          <CopyButton text={payment.address} label="Copy payment address" />
          <CopyButton text={payAmount(method, payment)} label="Copy payment amount" />
        </div>
        <p className="text-ink-soft text-sm">{windowNote}</p>
        <p className="text-ink-soft text-sm">{feeNote}</p>
        {method !== 'usdt' && <p className="text-ink-soft text-sm">{confirmationNote}</p>}
        <RateOrigin method={method} payment={payment} />
      </div>
    </div>
  )
}

type PayTheRestProps = { method: DepositMethod; payment: PaymentRequest; missing: string }

/** The missing part of an underpaid deposit, to the same address. */
export function PayTheRest({ method, payment, missing }: PayTheRestProps) {
  const { address, asset } = payment
  const rest = shortDecimal(missing)
  return (
    <div className="amounts-shown grid gap-x-10 gap-y-6 sm:grid-cols-[auto_minmax(0,1fr)]">
      <div className="size-48 overflow-hidden rounded-sm border border-rule bg-sunken max-sm:mx-auto">
        <Suspense fallback={<span className="sr-only">Loading the QR code</span>}>
          <QrCode text={address} label="QR code: the payment address alone, without an amount" />
        </Suspense>
      </div>
      <div className="grid content-start gap-4">
        <DescriptionList
          entries={[
            [
              'Still to pay',
              <strong key="rest" className="numeral text-lg">
                <Amount>{`${withCommas(rest)} ${asset}`}</Amount>
              </strong>,
            ],
            ['Network', payment.network],
          ]}
        />
        <PaymentAddress method={method} address={address} />
        <div className="flex flex-wrap gap-3">
          <CopyButton text={address} label="Copy payment address" />
          <CopyButton text={rest} label="Copy the amount still to pay" />
        </div>
        <p className="text-ink-soft text-sm">{feeNote}</p>
        {method !== 'usdt' && <p className="text-ink-soft text-sm">{confirmationNote}</p>}
      </div>
    </div>
  )
}

function PaymentAddress({ method, address }: { method: DepositMethod; address: string }) {
  return (
    <div className="grid gap-1.5">
      <p className="text-ink-soft">{paymentMethods[method].label} payment address</p>
      <p className="wrap-anywhere select-all rounded-sm bg-sunken px-3 py-2.5 font-medium text-sm">
        {address}
      </p>
    </div>
  )
}

/** Source of the rate; for usdt, why the amount does not follow it (D5). */
function RateOrigin({ method, payment }: Pick<PaymentProps, 'method' | 'payment'>) {
  return (
    <p className="text-ink-faint text-sm">
      {method === 'usdt' ? (
        `You pay 1 USDT for each dollar, and we credit $1.00 for each USDT. The rate of $${payment.rate} is our fixed reference rate: it changes neither what you pay nor what we credit.`
      ) : (
        <>
          Rate from <When at={payment.rateAt} />, {payment.rateSource}.
        </>
      )}
    </p>
  )
}
