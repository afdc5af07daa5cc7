import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { addEarning } from '#shared/contract/earnings.ts'
import type { Investment, User } from '#shared/contract/entities.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { returnSummary } from '#shared/contract/returns.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { formatUsd, formatUsdJson, parseUsd, usdFromJson, usdToJson } from '#shared/money.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { useList, useRead } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import type { Fault } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { earningShown } from './actions.tsx'
import { paidOn, unusual, willPay } from './preview.ts'
import { EarningWarnings } from './warnings.tsx'

const fields = ['investmentId', 'amount', 'note'] as const
type Values = Record<(typeof fields)[number], string>

const noAmount = 'Enter an amount in dollars, like 1,250.00'

function check({ amount }: Values): Fault | undefined {
  if (amount.trim() === '' || parseUsd(amount) !== undefined) return undefined
  return { message: noAmount, fields: { amount: noAmount } }
}

function inputFor(userId: string, { investmentId, amount, note }: Values) {
  const cents = parseUsd(amount)
  return {
    params: { userId },
    body: {
      ...(cents === undefined ? {} : { amount: usdToJson(cents) }),
      ...(investmentId === '' ? {} : { investmentId }),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    },
  }
}

/** Who gets earnings: earnings need an active investment (N-09), and nothing is credited to a frozen account. */
type Earner = Pick<User, '_id' | 'name' | 'frozen'> & { activeInvestments: number }

/** @param investment chosen beforehand */
export function addEarningsAction(user: Earner, investment?: Pick<Investment, '_id' | 'invoiceId'>): Action {
  return {
    label: 'Add earnings',
    call: addEarning,
    of: investment ? `on ${investment.invoiceId}` : `for ${user.name}`,
    about: user._id,
    blocked: blockedBecause(user),
    dialog: close => <AddEarnings user={user} investment={investment?._id} onClose={close} />,
  }
}

function blockedBecause({ frozen, activeInvestments }: Earner): string | undefined {
  if (frozen) return 'The account is frozen'
  return activeInvestments === 0 ? 'No active investment' : undefined
}

type AddEarningsProps = { user: Earner; investment?: string; onClose: () => void }

/**
 * Adds earnings for a user (N-09): an amount, or what has accrued and is not paid, out of the recorded returns only.
 * @param props.investment chosen beforehand
 */
function AddEarnings({ user, investment = '', onClose }: AddEarningsProps) {
  const { rows } = useList(listInvestments, { q: user._id, status: 'active', limit: maximumPageLimit })
  const [chosen, setChosen] = useState(investment)
  const [typed, setTyped] = useState('')
  return (
    <ActionDialog
      call={addEarning}
      title={`Add earnings for ${user.name}`}
      description="They are paid out of recorded returns only, and name them as their source."
      entries={[]}
      fields={fields}
      check={check}
      confirm="Add earnings"
      shown={earnings =>
        // Where a second admin has to approve them, nothing is posted yet.
        earningShown(
          user._id,
          user.name,
          earnings.some(({ status }) => status === 'paid'),
        )
      }
      input={values => inputFor(user._id, values)}
      onClose={onClose}
    >
      <Field name="investmentId" label="Investment">
        <Select value={chosen} onChange={event => setChosen(event.target.value)} disabled={!rows}>
          <option value="">All that are running</option>
          {(rows ?? []).map(one => (
            <option key={one._id} value={one._id}>
              {labelOf(one)}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        name="amount"
        label="Amount"
        optional
        hint="Left empty: what the target has accrued on it and is not paid yet."
      >
        <MoneyInput onInput={event => setTyped(event.currentTarget.value)} autoFocus />
      </Field>
      <Field name="note" label="Note" optional hint="The investor sees it.">
        <Input maxLength={300} autoComplete="off" />
      </Field>
      <Preview pays={rows && willPay(typed, chosen, rows)} on={rows && onWords(typed, chosen, rows)}>
        {rows && <EarningWarnings {...unusual(typed, chosen, rows)} />}
      </Preview>
    </ActionDialog>
  )
}

function labelOf({ plan, invoiceId, amount, accrued }: Investment): string {
  return `${plan}, ${invoiceId}: ${formatUsdJson(amount)}, accrued ${formatUsdJson(accrued)}`
}

/** Which investments the earning is paid on. */
function onWords(typed: string, chosen: string, investments: readonly Investment[]): string {
  const one = paidOn(typed, chosen, investments)
  return one ? `${one.plan}, ${one.invoiceId}` : 'Each on which something has accrued'
}

/** What the earning pays, and what it leaves of the recorded returns; among its children, what is unusual about it. */
type PreviewProps = { pays: bigint | undefined; on: string | undefined; children: ReactNode }

function Preview({ pays, on, children }: PreviewProps) {
  const { data } = useRead(returnSummary, {})
  const left = data && usdFromJson(data.left)
  const after = left !== undefined && pays !== undefined ? left - pays : undefined
  return (
    <div role="status" className="grid gap-3 border-rule border-y py-3">
      <DescriptionList
        entries={[
          ['Paid on', on ?? '—'],
          ['To the investor', pays === undefined ? '—' : formatUsd(pays)],
          ['Recorded returns now', left === undefined ? '—' : formatUsd(left)],
          ['Left after it', after === undefined || after < 0n ? '—' : formatUsd(after)],
        ]}
      />
      {after !== undefined && after < 0n && (
        <p className="text-bad text-sm">
          This is {formatUsd(-after)} more than has been recorded.{' '}
          <Link className="prose-link" to={paths.admin.returns}>
            Record a return
          </Link>{' '}
          first.
        </p>
      )}
      {children}
    </div>
  )
}
