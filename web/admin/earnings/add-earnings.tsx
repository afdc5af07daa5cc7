import { type ReactNode, useState } from 'react'
import { addEarning } from '#shared/contract/earnings.ts'
import type { Investment, User } from '#shared/contract/entities.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { returnSummary } from '#shared/contract/returns.ts'
import { enterUsd, localUsd, localUsdJson, parseTypedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { tr } from '#web/tr.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { earningShown } from './actions.tsx'
import { paidOn, warningsFor, willPay } from './preview.ts'
import { EarningWarnings, TooFewReturns } from './warnings.tsx'

const fields = ['investmentId', 'amount', 'note'] as const
type Values = Record<(typeof fields)[number], string>

function check({ amount }: Values): ValidationError | undefined {
  if (amount.trim() === '' || parseTypedUsd(amount) !== undefined) return undefined
  return fieldError('amount', enterUsd(125_000n))
}

function inputFor(userId: string, { investmentId, amount, note }: Values) {
  const cents = parseTypedUsd(amount)
  return {
    params: { userId },
    body: {
      ...(cents === undefined ? {} : { amount: usdToJson(cents) }),
      ...(investmentId === '' ? {} : { investmentId }),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    },
  }
}

/** Earnings need an active investment (N-09) and an account that is not frozen. */
type Earner = Pick<User, '_id' | 'name' | 'frozen'> & { activeInvestments: number }

/** @param investment preselected */
export function addEarningsAction(user: Earner, investment?: Pick<Investment, '_id' | 'invoiceId'>): Action {
  return {
    label: t('Add earnings'),
    call: addEarning,
    of: investment
      ? t('on {investment}', { investment: investment.invoiceId }, 'after Add earnings')
      : t('for {investor}', { investor: user.name }, 'after Add earnings'),
    about: user._id,
    blocked: blockedBecause(user),
    dialog: close => <AddEarnings user={user} investment={investment?._id} onClose={close} />,
  }
}

function blockedBecause({ frozen, activeInvestments }: Earner): string | undefined {
  if (frozen) return t('The account is frozen')
  return activeInvestments === 0 ? t('No active investment') : undefined
}

type AddEarningsProps = { user: Earner; investment?: string; onClose: () => void }

/**
 * Adds earnings for a user (N-09): an amount, or all unpaid accruals, paid from recorded returns only.
 * @param props.investment preselected
 */
function AddEarnings({ user, investment = '', onClose }: AddEarningsProps) {
  const { rows } = useList(listInvestments, { q: user._id, status: 'active', limit: maximumPageLimit })
  const [chosen, setChosen] = useState(investment)
  const [typed, setTyped] = useState('')
  return (
    <ActionDialog
      call={addEarning}
      title={tr('Add earnings for {investor}', { investor: <bdi>{user.name}</bdi> })}
      description={t('Paid from recorded returns only, which become their source.')}
      entries={[]}
      fields={fields}
      check={check}
      confirm={t('Add earnings')}
      shown={earnings =>
        // If a second admin must approve them, nothing is posted yet.
        earningShown(
          user._id,
          user.name,
          earnings.some(({ status }) => status === 'paid'),
        )
      }
      input={values => inputFor(user._id, values)}
      onClose={onClose}
    >
      <Field name="investmentId" label={t('Investment')}>
        <Select value={chosen} onChange={event => setChosen(event.target.value)} disabled={!rows}>
          <option value="">{t('All active investments')}</option>
          {(rows ?? []).map(one => (
            <option key={one._id} value={one._id}>
              {labelOf(one)}
            </option>
          ))}
        </Select>
      </Field>
      <Field name="amount" label={t('Amount')} optional hint={t('Leave empty to pay all unpaid accruals.')}>
        <MoneyInput onInput={event => setTyped(event.currentTarget.value)} autoFocus />
      </Field>
      <Field name="note" label={t('Note')} optional hint={t('Shown to the investor.')}>
        <Input dir="auto" maxLength={300} autoComplete="off" />
      </Field>
      <Preview pays={rows && willPay(typed, chosen, rows)} on={rows && onWords(typed, chosen, rows)}>
        {rows && <EarningWarnings {...warningsFor(typed, chosen, rows)} />}
      </Preview>
    </ActionDialog>
  )
}

function labelOf({ plan, invoiceId, amount, accrued }: Investment): string {
  return t('{plan}, {number}: {amount}, accrued {accrued}', {
    plan,
    number: invoiceId,
    amount: localUsdJson(amount),
    accrued: localUsdJson(accrued),
  })
}

/** The investments that the earning is paid on, in words. */
function onWords(typed: string, chosen: string, investments: readonly Investment[]): string {
  const one = paidOn(typed, chosen, investments)
  return one
    ? t('{plan}, {number}', { plan: one.plan, number: one.invoiceId })
    : t('Each with unpaid accruals')
}

/** Shows the payment and the recorded returns left; its children are warnings. */
type PreviewProps = { pays: bigint | undefined; on: string | undefined; children: ReactNode }

function Preview({ pays, on, children }: PreviewProps) {
  const { data } = useRead(returnSummary, {})
  const left = data && usdFromJson(data.left)
  const after = left !== undefined && pays !== undefined ? left - pays : undefined
  return (
    <div role="status" className="grid gap-3 border-rule border-y py-3">
      <DescriptionList
        entries={[
          [t('Paid on'), on ?? '—'],
          [t('To the investor'), pays === undefined ? '—' : localUsd(pays)],
          [t('Recorded returns now'), left === undefined ? '—' : localUsd(left)],
          [t('Recorded returns after'), after === undefined || after < 0n ? '—' : localUsd(after)],
        ]}
      />
      {after !== undefined && after < 0n && <TooFewReturns cents={-after} />}
      {children}
    </div>
  )
}
