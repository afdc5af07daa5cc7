import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import {
  type DepositMethod,
  depositMethods,
  type InvestmentMethod,
  investmentMethods,
} from '#shared/coins.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { belowMinimum } from '#shared/payments.ts'
import { amountOutsidePlan, termsWords } from '#shared/plans.ts'
import { useRead } from '#web/api/read.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { termsOf } from '#web/components/plan-facts.tsx'
import { RiskLine } from '#web/components/target.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { CustomersOnly } from '#web/dashboard/identity/refused.tsx'
import { amountFromAddress } from '#web/dashboard/typed-amount.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { ConfirmDeposit, ConfirmInvestment } from './confirm-request.tsx'

export const meta = pageMeta(msg('Make new investment'))

/** The request in the address: `method`, `amount` and, for an investment, `plan` (D6). */
export type ConfirmRequest =
  | { method: DepositMethod; cents: bigint; plan?: undefined }
  | { method: InvestmentMethod; cents: bigint; plan: string }

/** Parses the address, or says what is wrong with it. */
export function requestIn(search: URLSearchParams): ConfirmRequest | { error: string } {
  const { cents, error } = amountFromAddress(search.get('amount') ?? '')
  if (error !== undefined) return { error }
  const wanted = search.get('method')
  const plan = search.get('plan')
  if (plan !== null) {
    const method = investmentMethods.find(one => one === wanted)
    if (!method) return { error: t('Choose a payment method for the investment') }
    const small = method === 'balance' ? undefined : belowMinimum(cents, { forInvestment: true })
    return small === undefined ? { method, cents, plan } : { error: small }
  }
  const method = depositMethods.find(one => one === wanted)
  if (!method) return { error: t('Choose a payment method for the deposit') }
  const small = belowMinimum(cents)
  return small === undefined ? { method, cents } : { error: small }
}

/** Confirmation of a payment (D-18 to D-22). */
export default function ConfirmDepositPage() {
  const [search] = useSearchParams()
  const { key } = useLocation()
  const asked = requestIn(search)
  return (
    <>
      <PageHead title={t('Make new investment')} lead={leadOf(asked)} />
      <AccountNotice />
      <CustomersOnly>
        {'error' in asked ? (
          <Wrong words={asked.error} back={search.has('plan') ? 'investment' : 'deposit'} />
        ) : asked.plan === undefined ? (
          <ConfirmDeposit key={key} method={asked.method} cents={asked.cents} />
        ) : (
          <WithPlan key={key} name={asked.plan} method={asked.method} cents={asked.cents} />
        )}
      </CustomersOnly>
    </>
  )
}

/** Says that this is a deposit, because the specified title does not (D-18). */
function leadOf(asked: ConfirmRequest | { error: string }): string | undefined {
  if ('error' in asked || asked.plan !== undefined) return undefined
  return t('Confirm your deposit of {amount}. It is not invested until you choose a plan.', {
    amount: localUsd(asked.cents),
  })
}

function WithPlan({ name, method, cents }: { name: string; method: InvestmentMethod; cents: bigint }) {
  const { data: plans, isError, refetch } = useRead(listPlans, {})
  // The terms that the investor has seen: newer ones replace them only with their consent.
  const [accepted, setAccepted] = useState<Plan>()
  if (isError) return <FailedState onRetry={refetch}>{t('The plan could not be loaded.')}</FailedState>
  if (!plans) return <Loading label={t('Loading the plan')} lines={8} />
  const plan = plans.find(one => (accepted ? one._id === accepted._id : one.name === name))
  if (!plan) return <Wrong words={t('There is no plan named {name}', { name })} back="investment" />
  if (!accepted) setAccepted(plan)
  const seen = accepted ?? plan
  if (plan.version !== seen.version) {
    return <ChangedTerms before={seen} after={plan} onAccept={() => setAccepted(plan)} />
  }
  const outside = amountOutsidePlan(termsOf(plan), cents)
  if (outside) return <Wrong words={outside} back="investment" />
  return (
    <ConfirmInvestment
      key={plan.version}
      plan={plan}
      method={method}
      cents={cents}
      onTermsChanged={() => void refetch()}
    />
  )
}

type ChangedTermsProps = { before: Plan; after: Plan; onAccept: () => void }

/** Nothing can be confirmed until the investor has accepted the new terms. */
function ChangedTerms({ before, after, onAccept }: ChangedTermsProps) {
  return (
    <Section title={t('The terms of this plan have changed')}>
      <div ref={takeFocus} tabIndex={-1} className="grid gap-6 outline-none">
        <p className="text-ink-soft">
          {t('You have not invested anything yet. Compare the terms before you go on.')}
        </p>
        <DescriptionList
          entries={[
            [t('Before'), termsWords(termsOf(before))],
            [t('Now'), <strong key="now">{termsWords(termsOf(after))}</strong>],
          ]}
        />
        <div className="flex flex-wrap items-center gap-4">
          <Button onClick={onAccept}>{t('Continue with the new terms')}</Button>
          <LinkButton to={paths.dashboard.newInvestment}>{t('Choose another plan')}</LinkButton>
        </div>
        <RiskLine />
      </div>
    </Section>
  )
}

/** An invalid request, with the way back. */
function Wrong({ words, back }: { words: string; back: 'investment' | 'deposit' }) {
  return (
    <EmptyState
      action={
        back === 'investment' ? (
          <LinkButton to={paths.dashboard.newInvestment}>{t('Choose a plan')}</LinkButton>
        ) : (
          <LinkButton to={paths.dashboard.deposit}>{t('Make deposit')}</LinkButton>
        )
      }
    >
      {words}.
    </EmptyState>
  )
}
