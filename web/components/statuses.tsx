import type { Deposit, Earning, Investment, RealisedReturn, Withdrawal } from '#shared/contract/entities.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { capital } from '#web/ui/capital.ts'

/** Badges of the states (S-01 to S-03), in the specified colours. */

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

/** paid green, declined red, else yellow (S-02). */
export function WithdrawalStatus({ status }: { status: Withdrawal['status'] }) {
  return <Badge tone={status === 'declined' ? 'bad' : paidTone(status)}>{capital(status)}</Badge>
}

/** paid green, else yellow (S-03, D-15). */
function paidTone(status: (Deposit | Earning | Withdrawal)['status']): Tone {
  return status === 'paid' ? 'good' : 'wait'
}

/** The badge and, for a declined earning, the reason. */
export function EarningStatus({ earning }: { earning: Pick<Earning, 'status' | 'declineReason'> }) {
  const { status, declineReason } = earning
  return (
    <span className="grid max-w-72 justify-items-end gap-1 sm:justify-items-start">
      <Badge tone={paidTone(status)}>{capital(status)}</Badge>
      {declineReason && <span className="text-bad text-sm">{declineReason}</span>}
    </span>
  )
}

const returnBadges: Record<RealisedReturn['status'], [words: string, tone: Tone]> = {
  pending: ['Pending', 'wait'],
  recorded: ['Recorded', 'good'],
  declined: ['Declined', 'bad'],
  void_proposed: ['Void proposed', 'wait'],
  voided: ['Voided', 'bad'],
}

/** The badge and, for a return that is declined or in question, the reason. */
export function ReturnStatus({
  of,
}: {
  of: Pick<RealisedReturn, 'status' | 'declineReason' | 'voidReason'>
}) {
  const [words, tone] = returnBadges[of.status]
  const reason = of.declineReason ?? of.voidReason
  return (
    <span className="grid max-w-72 justify-items-end gap-1 sm:justify-items-start">
      <Badge tone={tone}>{words}</Badge>
      {reason && <span className="text-bad text-sm">{reason}</span>}
    </span>
  )
}

export function DepositStatus({ status }: { status: Deposit['status'] }) {
  return <Badge tone={paidTone(status)}>{capital(status)}</Badge>
}

const stageWords: Partial<Record<Deposit['stage'], string>> = {
  seen: 'Seen',
  confirming: 'Confirming',
  confirmed: 'Confirmed',
  underpaid: 'Underpaid',
  dropped: 'Dropped',
  reversed: 'Reversed',
}

/** The status, or the stage of a payment that its network has shown. */
export function DepositStanding({ deposit }: { deposit: Pick<Deposit, 'status' | 'stage' | 'missing'> }) {
  const { status, stage, missing } = deposit
  // Credited in part, and the rest can still come.
  const words = stageWords[stage === 'paid_under' && missing !== null ? 'underpaid' : stage]
  if (words === undefined) return <DepositStatus status={status} />
  return <Badge tone={stage === 'reversed' ? 'bad' : 'wait'}>{words}</Badge>
}

/** Why staff must review a payment. */
const flagWords: Record<Deposit['flags'][number], string> = {
  wrong_asset: 'Wrong coin',
  reversed: 'Reversed by the network',
  debt: 'Reversed after use: debt',
  unsolicited: 'Unsolicited',
  rate_missing: 'No rate for its arrival',
  after_decline: 'Received after decline',
  large: 'Large: review before crediting',
  manual_credit: 'Received after manual credit',
  by_contract: 'Sent by a contract',
  second_source: 'Not shown by the second source yet',
  daily_limit: 'Beyond the daily limit: review before crediting',
}

export function DepositFlagBadge({ flag }: { flag: Deposit['flags'][number] }) {
  return <Badge tone="bad">{flagWords[flag]}</Badge>
}

/** How a payment deviates from its request. */
export const deviationWords = { underpaid: 'Underpaid', overpaid: 'Overpaid', late: 'Late' } as const
