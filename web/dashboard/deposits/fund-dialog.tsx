import { useState } from 'react'
import { type DepositMethod, isStablecoin } from '#shared/coins.ts'
import { quoteDeposit } from '#shared/contract/deposits.ts'
import type { PaymentRequest } from '#shared/contract/entities.ts'
import { localUsd, localUsdShort } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { depositChargeCents, minimumDepositCents } from '#shared/limits.ts'
import { belowMinimum } from '#shared/payments.ts'
import { useRead } from '#web/api/read.ts'
import { Coin, rateWords } from '#web/components/crypto.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { amountForAddress, readAmount } from '#web/dashboard/typed-amount.ts'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, SubmitButton, type ValidationError } from '#web/ui/form.tsx'
import { MoneyInput } from '#web/ui/input.tsx'
import { Loading } from '#web/ui/states.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { QuoteRefused } from './quote.tsx'

type FundDialogProps = { method: DepositMethod; onClose: () => void }

/** The two steps of a deposit (D-16, D-17). Mounts anew each time, so closing resets it to step 1. */
export default function FundDialog({ method, onClose }: FundDialogProps) {
  return (
    <Dialog open onClose={onClose} title={t('Payment by {method}', { method: methodLabel(method) })}>
      <Steps method={method} />
    </Dialog>
  )
}

function Steps({ method }: { method: DepositMethod }) {
  const [typed, setTyped] = useState('')
  const [cents, setCents] = useState<bigint>()
  return cents === undefined ? (
    <AmountStep
      typed={typed}
      onNext={(text, amount) => {
        setTyped(text)
        setCents(amount)
      }}
    />
  ) : (
    <ReviewStep method={method} cents={cents} onBack={() => setCents(undefined)} />
  )
}

const fields = ['amount'] as const

/** Error of a deposit's amount (D5, K-04). */
export function depositError(text: string): ValidationError | undefined {
  const { cents, error } = readAmount(text)
  const message = error ?? belowMinimum(cents)
  return message === undefined ? undefined : { message, fields: { amount: message } }
}

function AmountStep({ typed, onNext }: { typed: string; onNext: (text: string, cents: bigint) => void }) {
  return (
    <Form
      fields={fields}
      check={({ amount }) => depositError(amount)}
      onSubmit={({ amount }) => onNext(amount, readAmount(amount).cents!)}
      pending={false}
    >
      <ul className="grid gap-0.5 text-ink-soft text-sm">
        <li>{t('Deposit limit {minimum} - unlimited', { minimum: localUsdShort(minimumDepositCents) })}</li>
        <li>{t('Charge: {charge} USD', { charge: depositChargeCents.toString() })}</li>
      </ul>
      <Field name="amount" label={t('Amount (USD)')}>
        <MoneyInput ref={takeFocus} defaultValue={typed} />
      </Field>
      <DialogActions>
        <SubmitButton>{t('Next')}</SubmitButton>
      </DialogActions>
    </Form>
  )
}

type ReviewStepProps = { method: DepositMethod; cents: bigint; onBack: () => void }

function ReviewStep({ method, cents, onBack }: ReviewStepProps) {
  const amount = amountForAddress(cents)
  const quote = useRead(quoteDeposit, { query: { method, amount } }, { held: true })
  return (
    <div ref={takeFocus} tabIndex={-1} className="amounts-shown grid gap-4 outline-none">
      <DescriptionList
        entries={[
          [t('Amount'), localUsd(cents)],
          [t('Charge'), localUsdShort(depositChargeCents)],
          [t('Payable'), localUsd(cents + depositChargeCents)],
        ]}
      />
      {quote.data ? (
        <Conversion method={method} payment={quote.data} />
      ) : quote.isError ? (
        <QuoteRefused error={quote.error} onRetry={() => void quote.refetch()} />
      ) : (
        <Loading label={t('Loading the rate')} lines={1} />
      )}
      <DialogActions>
        {/* The second click of a double click on Next lands here. */}
        <Button tone="quiet" onClick={event => event.detail < 2 && onBack()}>
          {t('Change amount')}
        </Button>
        {quote.data && (
          <LinkButton to={paths.dashboard.confirmDeposit({ method, amount })}>{t('Pay now')}</LinkButton>
        )}
      </DialogActions>
    </div>
  )
}

/** Decimals in the modal (D-17). */
const modalDecimals = 3

/** Rate and coin amount, except for ethereum (D-17); a stablecoin is one to one. */
function Conversion({ method, payment }: { method: DepositMethod; payment: PaymentRequest }) {
  if (method === 'ethereum') return null
  const isFixed = isStablecoin(payment.asset)
  return (
    <DescriptionList
      entries={[
        [t('Conversion rate'), isFixed ? `1 ${payment.asset}` : rateWords(method, payment)],
        [
          t('Amount in {asset}', { asset: payment.asset }),
          <span key="amount">
            {!isFixed && '≈ '}
            <Coin method={method} payment={payment} decimals={modalDecimals} />
            {!isFixed && (
              <span className="block text-ink-faint text-sm">
                {t('The exact amount is on the next page')}
              </span>
            )}
          </span>,
        ],
      ]}
    />
  )
}
