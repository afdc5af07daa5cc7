import type { Deposit, Earning, Investment, Withdrawal } from '#shared/contract/entities.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

/** How the states are shown (S-01 to S-03). */

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** active 'Running', pending 'Pending', declined 'Declined' (decision 75), anything else 'Inactive' (S-01). */
export function InvestmentStatus({ investment }: { investment: Pick<Investment, 'status' | 'matured'> }) {
  const { status, matured } = investment
  if (status === 'active') return <Badge tone="good">{matured ? 'Matured, being closed' : 'Running'}</Badge>
  if (status === 'pending') return <Badge tone="wait">Pending</Badge>
  return status === 'declined' ? <Badge tone="bad">Declined</Badge> : <Badge tone="plain">Inactive</Badge>
}

/** 'Approved' when not pending, else 'Not approved' (S-01). A declined one has neither badge (decision 75). */
export function ApprovalBadge({ status }: { status: Investment['status'] }) {
  if (status === 'declined') return null
  return status === 'pending' ? <Badge tone="wait">Not approved</Badge> : <Badge tone="good">Approved</Badge>
}

const withdrawalTones: Record<Withdrawal['status'], Tone> = {
  pending: 'wait',
  approved: 'wait',
  paid: 'good',
  declined: 'bad',
}

/** paid green, declined red, else yellow (S-02). */
export function WithdrawalStatus({ status }: { status: Withdrawal['status'] }) {
  return <Badge tone={withdrawalTones[status]}>{capital(status)}</Badge>
}

/** paid green, else yellow (S-03); with the reason, where it was declined. */
export function EarningStatus({ earning }: { earning: Pick<Earning, 'status' | 'declineReason'> }) {
  const { status, declineReason } = earning
  return (
    <span className="grid max-w-72 justify-items-end gap-1 sm:justify-items-start">
      <Badge tone={status === 'paid' ? 'good' : 'wait'}>{capital(status)}</Badge>
      {declineReason && <span className="text-bad text-sm">{declineReason}</span>}
    </span>
  )
}

/** paid green, else yellow (D-15). */
export function DepositStatus({ status }: { status: Deposit['status'] }) {
  return <Badge tone={status === 'paid' ? 'good' : 'wait'}>{capital(status)}</Badge>
}

const stageWords: Partial<Record<Deposit['stage'], string>> = {
  seen: 'Seen',
  confirming: 'Confirming',
  confirmed: 'Confirmed',
  underpaid: 'Came short',
  reversed: 'Taken back',
}

/** The status, finer where the payment's network has shown something of it. */
export function DepositStanding({ deposit }: { deposit: Pick<Deposit, 'status' | 'stage'> }) {
  const { status, stage } = deposit
  const words = stageWords[stage]
  if (words === undefined) return <DepositStatus status={status} />
  return <Badge tone={stage === 'reversed' ? 'bad' : 'wait'}>{words}</Badge>
}

/** What the firm has to look at of a payment, beside how it came. */
const flagWords: Record<Deposit['flags'][number], string> = {
  wrong_asset: 'Another coin came',
  reversed: 'Taken back by its network',
  debt: 'Taken back after it was spent',
  unsolicited: 'Came without a request',
  rate_missing: 'No rate of its arrival',
  after_decline: 'Came after it was declined',
  large: 'Large: look before it is credited',
  manual_credit: 'Came after it was approved by hand',
}

export function DepositFlagBadge({ flag }: { flag: Deposit['flags'][number] }) {
  return <Badge tone="bad">{flagWords[flag]}</Badge>
}

/** How a payment came that did not come as asked for. */
export const deviationWords = { underpaid: 'Came short', overpaid: 'More came', late: 'Came late' } as const
