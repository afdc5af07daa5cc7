import { lazy, type ReactNode, Suspense } from 'react'
import { type DepositMethod, isStablecoin, paymentMethods } from '#shared/coins.ts'
import type { PaymentRequest } from '#shared/contract/entities.ts'
import { localRate, localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { confirmationMinutes } from '#shared/limits.ts'
import { withCommas } from '#shared/money.ts'
import { isToken } from '#shared/payment-tokens.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Amount, Usd } from './amounts.tsx'
import { payAmount, rateWords, shortDecimal } from './crypto.tsx'
import { When } from './when.tsx'

const QrCode = lazy(() => import('./qr-code.tsx'))

type PaymentProps = {
  method: DepositMethod
  /** In USD. */
  amount: number
  payment: PaymentRequest
  /** A countdown, or what its end means. */
  time: ReactNode
  /** Requested: a wallet may open it now. Before, it is to be confirmed first. */
  isConfirmed: boolean
}

/** Payment instructions from the server (D-18 to D-20, D-22): rate, amounts, address, code and time. */
export function PaymentDetails({ method, amount, payment, time, isConfirmed }: PaymentProps) {
  const { paymentWindowMinutes: minutes } = useSite()
  return (
    <HowToSend
      method={method}
      payment={payment}
      due={{ name: t('Amount to pay'), amount: payAmount(method, payment), uri: payment.uri }}
      copy={t('Copy payment amount')}
      facts={[
        [t('In US dollars'), <Usd key="usd" value={amount} />],
        [t('Current rate'), rateWords(method, payment)],
        [t('Network'), payment.network],
      ]}
      time={time}
      isConfirmed={isConfirmed}
    >
      {!isConfirmed && (
        // The specification's note (D-18).
        <p>
          {t('Payments should be made within {minutes} minutes to avoid crypto value changes', { minutes })}
        </p>
      )}
      <RateNotes method={method} />
      <RateOrigin payment={payment} />
    </HowToSend>
  )
}

type PayTheRestProps = Pick<PaymentProps, 'method' | 'payment' | 'time'> & { missing: string; uri: string }

/** The missing part of an underpaid deposit, to the same address. */
export function PayTheRest({ method, payment, time, missing, uri }: PayTheRestProps) {
  return (
    <HowToSend
      method={method}
      payment={payment}
      due={{ name: t('Still to pay'), amount: shortDecimal(missing), uri }}
      copy={t('Copy the amount still to pay')}
      facts={[[t('Network'), payment.network]]}
      time={time}
      isConfirmed
    >
      <RateNotes method={method} />
    </HowToSend>
  )
}

/** How the amount and the rate hold; a stablecoin is credited one to one at any time. */
function RateNotes({ method }: { method: DepositMethod }) {
  const { asset } = paymentMethods[method]
  const follows = !isStablecoin(asset)
  return (
    <>
      {/* Unpaid fees are the commonest reason for underpayments. */}
      <p>{t('Send the full amount. Wallet or exchange fees are extra.')}</p>
      {follows && (
        <p>
          {t(
            'Your payment is in time if it reaches the network before the time left ends. If it comes later, we credit it at the rate when it arrives.',
          )}
        </p>
      )}
      {/* Paying a low fee must not become a choice between two rates. */}
      {follows && (
        <p>
          {t(
            'Choose a network fee that confirms soon. If your payment confirms more than {confirmationMinutes} minutes after the time left has ended, we credit it at this rate or the rate of its confirmation, whichever is lower.',
            { confirmationMinutes },
          )}
        </p>
      )}
      {/* Ether from contracts is found by balances of confirmed blocks (docs/decisions/0118-ether-from-contracts.md). */}
      {method === 'ethereum' && (
        <p>
          {t(
            'A payment from an exchange or a smart wallet may show only once it is confirmed, after a few minutes.',
          )}
        </p>
      )}
      {/* Several coins share Ethereum's addresses, so a wallet cannot know which one is wanted. */}
      {isToken(method) && (
        <p>
          {t(
            'Send {asset} on the Ethereum network only. We do not see {asset} that you send on another network, and we do not credit another coin automatically.',
            { asset },
          )}
        </p>
      )}
    </>
  )
}

type Entries = readonly (readonly [name: string, value: ReactNode])[]

type HowToSendProps = {
  method: DepositMethod
  payment: PaymentRequest
  /** The amount as wallets accept it, and its payment URI. */
  due: { name: string; amount: string; uri: string }
  /** Name of the button that copies the amount. */
  copy: string
  facts: Entries
  time: ReactNode
  isConfirmed: boolean
  /** Notes, one paragraph each. */
  children: ReactNode
}

/** Amount and address with their copy buttons; then the code, which a wallet on the same phone cannot scan. */
function HowToSend({ method, payment, due, copy, facts, time, isConfirmed, children }: HowToSendProps) {
  const { asset, address } = payment
  // Wallets of some networks read the address alone.
  const isLink = due.uri !== address
  return (
    <div className="amounts-shown grid gap-x-10 gap-y-6 sm:grid-cols-[auto_minmax(0,1fr)]">
      <div className="grid content-start gap-4 sm:col-start-2">
        <DescriptionList
          entries={[
            [
              due.name,
              <strong key="due" className="numeral text-lg">
                <Amount>{`${withCommas(due.amount)} ${asset}`}</Amount>
              </strong>,
            ],
            [t('Time left'), time],
            ...facts,
          ]}
        />
        <PaymentAddress method={method} address={address} />
        <div className="flex flex-wrap gap-3">
          <CopyButton text={address} label={t('Copy payment address')} />
          <CopyButton text={due.amount} label={copy} />
          {isLink && isConfirmed && (
            <a className={buttonClass({ size: 'sm' })} href={due.uri}>
              {t('Open in wallet')}
            </a>
          )}
        </div>
      </div>
      <PaymentCode
        uri={due.uri}
        label={
          isLink
            ? t('QR code: pay {amount} {asset}', { amount: due.amount, asset })
            : t('QR code: the payment address')
        }
        isAddressAlone={!isLink}
      />
      <div className="grid gap-2 text-ink-soft text-sm sm:col-start-2">{children}</div>
    </div>
  )
}

type PaymentCodeProps = { uri: string; label: string; isAddressAlone: boolean }

function PaymentCode({ uri, label, isAddressAlone }: PaymentCodeProps) {
  return (
    <div className="grid content-start justify-items-center gap-3 sm:col-start-1 sm:row-span-2 sm:row-start-1">
      <div className="size-48 overflow-hidden rounded-sm border border-rule bg-sunken">
        <Suspense fallback={<span className="sr-only">{t('Loading the QR code')}</span>}>
          <QrCode text={uri} label={label} />
        </Suspense>
      </div>
      {isAddressAlone && (
        <p className="max-w-48 text-ink-soft text-sm">
          {t('The code holds the address alone. Enter the amount in your wallet.')}
        </p>
      )}
    </div>
  )
}

function PaymentAddress({ method, address }: { method: DepositMethod; address: string }) {
  return (
    <div className="grid gap-1.5">
      <p className="text-ink-soft">
        {t('{method} payment address', { method: paymentMethods[method].label })}
      </p>
      <p dir="ltr" className="wrap-anywhere select-all rounded-sm bg-sunken px-3 py-2.5 font-medium text-sm">
        {address}
      </p>
    </div>
  )
}

/** Source of the rate; for a stablecoin, why the amount does not follow it (D5). */
function RateOrigin({ payment }: Pick<PaymentProps, 'payment'>) {
  const { asset } = payment
  return (
    <p className="text-ink-faint">
      {isStablecoin(asset)
        ? t(
            'You pay 1 {asset} for each dollar, and we credit {dollar} for each {asset}. The rate of {rate} is our fixed reference rate: it changes neither what you pay nor what we credit.',
            { asset, dollar: localUsd(100n), rate: localRate(payment.rate) },
          )
        : tr('Rate from {when}, {source}.', {
            when: <When at={payment.rateAt} />,
            source: sourceWords(payment.rateSource),
          })}
    </p>
  )
}
