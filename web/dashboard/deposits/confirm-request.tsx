import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import type { DepositMethod, InvestmentMethod } from '#shared/coins.ts'
import type { CallData, CallDefinition } from '#shared/contract/define.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { localUsd, localUsdJson } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { durationWords, riskLine } from '#shared/plans.ts'
import type { ApiError } from '#web/api/errors.ts'
import { type Mutation, useMutation } from '#web/api/mutation.ts'
import { Countdown } from '#web/components/countdown.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { PaymentDetails } from '#web/components/payment.tsx'
import { Projection } from '#web/components/target.tsx'
import { useSummary } from '#web/dashboard/home/balances.tsx'
import type { ConfirmedHere } from '#web/dashboard/home/payments.tsx'
import { amountForAddress } from '#web/dashboard/typed-amount.ts'
import { isRepeatedRequest, type Made, useVisit } from '#web/dashboard/visit.ts'
import { useSite } from '#web/frame.ts'
import { go } from '#web/go.ts'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Section } from '#web/ui/section.tsx'
import { EmptyState, Loading } from '#web/ui/states.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { OpenAlready } from './open-already.tsx'
import { QuoteRefused, useQuote } from './quote.tsx'

/** A deposit to the balance. */
export function ConfirmDeposit({ method, cents }: { method: DepositMethod; cents: bigint }) {
  const { run, pending, error, made } = useConfirm(newDeposit, ({ _id }) => _id)
  if (made) return <AskedAlready made={made} list={deposits} />
  return (
    <CoinPayment
      method={method}
      cents={cents}
      back={paths.dashboard.deposit}
      pending={pending}
      error={error}
      onConfirm={quote => run({ body: { method, amount: usdToJson(cents), quote } })}
    />
  )
}

type ConfirmInvestmentProps = {
  plan: Plan
  method: InvestmentMethod
  cents: bigint
  /** Its terms have changed since they were read. */
  onTermsChanged: () => void
}

/** An investment paid by coin or from the balance (D6). */
export function ConfirmInvestment({ plan, method, cents, onTermsChanged }: ConfirmInvestmentProps) {
  const { run, pending, error, made } = useConfirm(newInvestment, ({ deposit }) => deposit?._id)
  const changed = error?.reason === 'terms_changed'
  useEffect(() => {
    if (changed) onTermsChanged()
  }, [changed, onTermsChanged])
  if (made) return <AskedAlready made={made} list={investments} />
  const change = paths.dashboard.changeInvestment({
    plan: plan.name,
    amount: amountForAddress(cents),
    method,
  })
  const body = { plan: plan._id, planVersion: plan.version, amount: usdToJson(cents) }
  return (
    <div className="grid gap-10">
      <Section
        title={t('{plan} plan', { plan: plan.name })}
        aside={
          <Link className="prose-link" to={change}>
            {t('Change')}
          </Link>
        }
      >
        <DescriptionList
          entries={[
            [t('Amount'), localUsd(cents)],
            [
              t('Target'),
              t('{percentage, number}% over {duration}', {
                percentage: plan.percentage,
                duration: durationWords(plan),
              }),
            ],
            [t('After 30 days (target)'), <Projection key="after" plan={plan} amountCents={cents} />],
          ]}
        />
        <p className="mt-3 text-ink-faint text-sm">{translate(riskLine)}</p>
      </Section>
      {method === 'balance' ? (
        <BalancePayment
          cents={cents}
          pending={pending}
          onConfirm={() => run({ body: { ...body, method } })}
        />
      ) : (
        <CoinPayment
          method={method}
          cents={cents}
          plan={plan}
          back={change}
          pending={pending}
          error={error}
          onConfirm={quote => run({ body: { ...body, method, quote } })}
        />
      )}
    </div>
  )
}

/**
 * Confirms once per visit. Success replaces this page by the home page (D-21), unless the user has already left.
 * @param paymentOf the deposit to be paid now, which takes the focus there
 */
function useConfirm<C extends CallDefinition>(
  call: C,
  paymentOf: (made: CallData<C>) => string | undefined,
): Mutation<C> & { made: Made | undefined } {
  const visit = useVisit()
  const mutation = useMutation(call, {
    keys: visit.keys,
    loading: t('Confirming your payment'),
    onSuccess: made => {
      const state: ConfirmedHere = { payment: paymentOf(made) }
      return visit.isOpen() ? go(paths.dashboard.home, { replace: true, state }) : undefined
    },
    refusal: error => (isRepeatedRequest(error) ? t('You have already sent this request') : error.message),
  })
  return { ...mutation, made: visit.made ?? (isRepeatedRequest(mutation.error) ? 'unknown' : undefined) }
}

const deposits = { name: msg('Manage deposits'), to: paths.dashboard.deposit }
const investments = { name: msg('Investments'), to: paths.dashboard.investments }

/** Shown when this visit's request was already sent. */
function AskedAlready({ made, list }: { made: Made; list: { name: string; to: string } }) {
  return (
    <div ref={takeFocus} tabIndex={-1} className="outline-none">
      <EmptyState
        action={
          <Link className="prose-link" to={list.to}>
            {made === 'unknown'
              ? translate(list.name)
              : t('{number} under {list}', { number: made.invoiceId, list: translate(list.name) })}
          </Link>
        }
      >
        {t(
          'You have already sent this request, so we do not send it again. To make another one, start over.',
        )}
      </EmptyState>
    </div>
  )
}

type CoinPaymentProps = {
  method: DepositMethod
  cents: bigint
  plan?: Plan
  /** Where another method is chosen. */
  back: string
  pending: boolean
  error: ApiError | undefined
  onConfirm: (quote: string) => void
}

/** The quoted payment; confirming locks exactly these figures. */
function CoinPayment({ method, cents, plan, back, pending, error, onConfirm }: CoinPaymentProps) {
  const { paymentWindowMinutes: minutes } = useSite()
  const { quote, seconds, isRenewed, ...read } = useQuote(method, amountForAddress(cents), plan)
  const expired = error?.code === 'quote_expired'
  const again = read.refetch
  useEffect(() => {
    if (expired) void again()
  }, [expired, again])

  return (
    <Section title={t('Payment')}>
      <p role="status" className={isRenewed ? 'mb-6 font-medium' : undefined}>
        {isRenewed && t('The time ended before you confirmed, so we set a new rate and amount.')}
      </p>
      {quote ? (
        <div className="grid gap-8">
          {!pending && <OpenAlready method={method} />}
          <div className="grid gap-1 border-accent border-s-4 bg-accent-soft px-4 py-3">
            <p className="font-medium">{t('Confirm first, then pay')}</p>
            <p className="text-ink-soft text-sm">
              {t(
                'The {minutes} minutes are already running: they began when we set this rate, and confirming does not restart them. Confirm to keep this rate, then send the payment in the time left. Your dashboard shows the same QR code, address and amount.',
                { minutes },
              )}
            </p>
          </div>
          <PaymentDetails
            method={method}
            amount={usdToJson(cents)}
            payment={quote}
            time={<Countdown label={t('Time left to pay')} seconds={seconds ?? 0} />}
            isConfirmed={false}
          />
          <Confirm pending={pending} onConfirm={() => onConfirm(quote.quote)}>
            {t('This button sends no money. You’ll pay from your own wallet in the next step.')}
          </Confirm>
        </div>
      ) : read.isError ? (
        <QuoteRefused
          error={read.error}
          onRetry={() => void again()}
          others={<LinkButton to={back}>{t('Choose another method')}</LinkButton>}
        />
      ) : (
        <Loading label={t('Loading rate and address')} lines={8} />
      )}
    </Section>
  )
}

type BalancePaymentProps = { cents: bigint; pending: boolean; onConfirm: () => void }

/** Payment from the balance; the amount is held at once. */
function BalancePayment({ cents, pending, onConfirm }: BalancePaymentProps) {
  const sums = useSummary()
  const left = sums && usdFromJson(sums.balance)! - cents
  return (
    <Section title={t('Payment')}>
      <div className="grid gap-8">
        <DescriptionList
          entries={[
            [t('Available balance'), sums ? localUsdJson(sums.balance) : '…'],
            [t('Amount from your balance'), localUsd(cents)],
            [t('Balance after'), left === undefined ? '…' : left < 0n ? t('Not enough') : localUsd(left)],
          ]}
        />
        <Confirm pending={pending} onConfirm={onConfirm}>
          {t(
            'We hold the amount now and invest it once our team approves. If we decline, it becomes available again.',
          )}
        </Confirm>
      </div>
    </Section>
  )
}

type ConfirmProps = { pending: boolean; onConfirm: () => void; children: ReactNode }

function Confirm({ pending, onConfirm, children }: ConfirmProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3 border-rule border-t pt-6">
      <Button busy={pending} onClick={onConfirm}>
        {t('Confirm payment')}
      </Button>
      <p className="max-w-xl text-ink-soft text-sm">{children}</p>
    </div>
  )
}
