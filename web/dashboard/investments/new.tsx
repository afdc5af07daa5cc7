import { useRef, useState } from 'react'
import { type InvestmentMethod, investmentMethodsOf } from '#shared/coins.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { localUsd, localUsdShort, parseTypedUsd, typedUsd } from '#shared/i18n/amounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { belowMinimum } from '#shared/payments.ts'
import { amountOutsidePlan } from '#shared/plans.ts'
import { useRead } from '#web/api/read.ts'
import { Cents } from '#web/components/amounts.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { termsOf } from '#web/components/plan-facts.tsx'
import { Projection, RiskLine } from '#web/components/target.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { useSummary } from '#web/dashboard/home/balances.tsx'
import { InvestmentLimit } from '#web/dashboard/identity/exposed.tsx'
import { CustomersOnly } from '#web/dashboard/identity/refused.tsx'
import { amountForAddress, amountFromAddress, readAmount } from '#web/dashboard/typed-amount.ts'
import { useSite } from '#web/frame.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { useSearch, withChanges } from '#web/search.ts'
import { Field } from '#web/ui/field.tsx'
import { FieldGroup } from '#web/ui/field-group.tsx'
import { Form, missing, SubmitButton, type ValidationError } from '#web/ui/form.tsx'
import { MoneyInput, RadioTile } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { PlanChoice } from './plan-choice.tsx'

export const meta = pageMeta(msg('New investment'))

const fields = ['plan', 'amount', 'method'] as const
type Values = Record<(typeof fields)[number], string>

/** Errors of an investment before it is confirmed (D-12, D-13). */
export function investmentError(
  values: Values,
  plan: Plan | undefined,
  balanceCents: bigint | undefined,
): ValidationError | undefined {
  const empty = missing(values, fields, t('Amount, payment method and plans are requred fields'))
  if (empty || plan === undefined) return empty
  const { cents, error } = readAmount(values.amount)
  const message =
    error ??
    amountOutsidePlan(termsOf(plan), cents) ??
    (values.method === 'balance'
      ? beyondBalance(cents, balanceCents)
      : belowMinimum(cents, { forInvestment: true }))
  return message === undefined ? undefined : { message, fields: { amount: message } }
}

function beyondBalance(cents: bigint, balanceCents: bigint | undefined): string | undefined {
  if (balanceCents === undefined || cents <= balanceCents) return undefined
  return t('Your available balance is {amount}', { amount: localUsd(balanceCents) })
}

/** A new investment in two steps (D-11, D-12), confirmed on the next page. */
export default function NewInvestmentPage() {
  const { data: plans, isError, refetch } = useRead(listPlans, {})
  return (
    <>
      <PageHead title={t('New investment')} />
      <AccountNotice />
      <CustomersOnly>
        {plans?.length === 0 ? (
          <EmptyState
            action={
              <AnchorButton tone="quiet" href={paths.contact}>
                {t('Ask us about upcoming plans')}
              </AnchorButton>
            }
          >
            {t('No plans are open right now. We show new plans here as soon as we open them.')}
          </EmptyState>
        ) : plans ? (
          <InvestmentForm plans={plans} />
        ) : isError ? (
          <FailedState onRetry={refetch}>{t('The plans could not be loaded.')}</FailedState>
        ) : (
          <Loading label={t('Loading the plans')} lines={10} />
        )}
      </CustomersOnly>
    </>
  )
}

function InvestmentForm({ plans }: { plans: Plan[] }) {
  const sums = useSummary()
  const balanceCents = sums && usdFromJson(sums.balance)
  // In the address, so that a reload, Back and the review's "Change" keep what was chosen.
  const [draft, change] = useSearch()
  const keep = (name: (typeof fields)[number], value: string) =>
    change(params => withChanges(params, { [name]: value }))
  const plan = plans.find(({ name }) => name === draft.get('plan'))
  const amountCents = amountFromAddress(draft.get('amount') ?? '').cents
  const [before] = useState({ amountCents, method: draft.get('method') })
  const next = useRef<HTMLDivElement>(null)

  function keepAmount(text: string) {
    const { cents } = readAmount(text)
    return keep('amount', cents === undefined ? '' : amountForAddress(cents))
  }

  function proceed({ method, amount }: Values) {
    const cents = parseTypedUsd(amount)!
    void go(
      paths.dashboard.confirmDeposit({
        method: method as InvestmentMethod,
        amount: amountForAddress(cents),
        plan: plan!.name,
      }),
    )
  }

  return (
    <Form
      fields={fields}
      check={values => investmentError(values, plan, balanceCents)}
      onSubmit={proceed}
      pending={false}
      className="gap-12"
    >
      <Section title={t('Step 1: choose a plan')}>
        <Plans
          plans={plans}
          chosen={plan?.name}
          onChoose={name => keep('plan', name)}
          onPointed={() => bringIntoView(next.current)}
          amountCents={amountCents}
        />
      </Section>
      <div ref={next}>
        <Section title={t('Step 2: amount and payment method')}>
          <div className="grid gap-x-16 gap-y-8 lg:grid-cols-2">
            <fieldset disabled={plan === undefined} className="grid content-start gap-6">
              <legend className="sr-only">{t('Amount and payment method')}</legend>
              <Field name="amount" label={t('Amount (USD)')} hint={rangeHint(plan)}>
                <MoneyInput
                  defaultValue={before.amountCents === undefined ? '' : typedUsd(before.amountCents)}
                  onInput={event => keepAmount(event.currentTarget.value)}
                />
              </Field>
              <InvestmentLimit cents={amountCents} />
              <Methods
                balanceCents={balanceCents}
                before={before.method}
                onChoose={method => keep('method', method)}
              />
            </fieldset>
            <Preview plan={plan} amountCents={amountCents} />
          </div>
          <SubmitButton className="mt-8">{t('Proceed to confirm')}</SubmitButton>
        </Section>
      </div>
    </Form>
  )
}

/** Plans are longer than a phone's screen; scroll only if the element is below its upper half. */
function bringIntoView(element: HTMLElement | null) {
  if (!element || element.getBoundingClientRect().top < innerHeight / 2) return
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  element.scrollIntoView({ behavior: still ? 'instant' : 'smooth' })
}

function rangeHint(plan: Plan | undefined): string {
  if (plan === undefined) return t('Choose a plan first')
  const { minimumCents, maximumCents } = termsOf(plan)
  return maximumCents === null
    ? t('At least {minimum}', { minimum: localUsdShort(minimumCents) })
    : t('Between {minimum} and {maximum}', {
        minimum: localUsdShort(minimumCents),
        maximum: localUsdShort(maximumCents),
      })
}

type PlansProps = {
  plans: Plan[]
  chosen: string | undefined
  onChoose: (name: string) => void
  /** A plan was chosen by touch or mouse. */
  onPointed: () => void
  amountCents: bigint | undefined
}

function Plans({ plans, chosen, onChoose, onPointed, amountCents }: PlansProps) {
  return (
    <FieldGroup legend={t('Plan')} name="plan" hideLegend className="gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {isInvalid =>
        plans.map(plan => (
          <PlanChoice
            key={plan._id}
            plan={plan}
            chosen={plan.name === chosen}
            onChoose={byKeyboard => {
              onChoose(plan.name)
              // Arrow keys choose plans while passing them, so keep the view.
              if (!byKeyboard) onPointed()
            }}
            amountCents={amountCents}
            isInvalid={isInvalid}
          />
        ))
      }
    </FieldGroup>
  )
}

const methodName = (method: InvestmentMethod) => (method === 'usdt' ? 'USDT TRC-20' : methodLabel(method))

type MethodsProps = {
  balanceCents: bigint | undefined
  /** Chosen when the page opened. */
  before: string | null
  onChoose: (method: InvestmentMethod) => void
}

function Methods({ balanceCents, before, onChoose }: MethodsProps) {
  const { depositMethods, depositsOpen } = useSite()
  return (
    <FieldGroup legend={t('Payment method')} name="method" className="gap-2">
      {isInvalid =>
        investmentMethodsOf(depositsOpen ? depositMethods : []).map(method => (
          <RadioTile
            key={method}
            name="method"
            value={method}
            defaultChecked={method === before}
            onChange={() => onChoose(method)}
            aria-invalid={isInvalid}
          >
            {methodName(method)}
            {method === 'balance' && balanceCents !== undefined && (
              <span className="text-ink-faint">
                {' '}
                <Cents cents={balanceCents} />
              </span>
            )}
          </RadioTile>
        ))
      }
    </FieldGroup>
  )
}

/** Projection of the chosen plan and amount with its formula (D-11). */
function Preview({ plan, amountCents }: { plan: Plan | undefined; amountCents: bigint | undefined }) {
  if (plan === undefined) return null
  const ready = amountCents !== undefined && amountCents > 0n
  return (
    <aside aria-label={t('Projection')} className="grid content-start gap-2 border-rule border-s ps-6">
      <p className="text-ink-soft text-sm">{t('{plan} plan, after 30 days (target)', { plan: plan.name })}</p>
      <div className="numeral text-2xl" aria-live="polite">
        {ready ? <Projection plan={plan} amountCents={amountCents} /> : '—'}
      </div>
      <RiskLine />
    </aside>
  )
}
