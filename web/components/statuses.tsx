import type { Deposit, Earning, Investment, Withdrawal } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

/** Badges of the states (S-01 to S-03), in the specified colours. */

/** active 'Running', pending 'Pending', declined 'Declined' (decision 75), anything else 'Inactive' (S-01). */
export function InvestmentStatus({
  investment,
}: {
  investment: Pick<Investment, 'status' | 'matured' | 'cancelled'>
}) {
  const { status, matured } = investment
  if (status === 'active')
    return <Badge tone="good">{matured ? t('Matured, being closed') : t('Running')}</Badge>
  if (status === 'pending') return <Badge tone="wait">{t('Pending')}</Badge>
  if (status === 'declined') return <Badge tone="bad">{wordOf(investment)}</Badge>
  return <Badge tone="plain">{t('Inactive')}</Badge>
}

const words = {
  pending: msg('Pending'),
  approved: msg('Approved'),
  active: msg('Active'),
  paid: msg('Paid'),
  declined: msg('Declined'),
  inactive: msg('Inactive'),
  unpaid: msg('Unpaid'),
}
type Status = (Deposit | Earning | Investment | Withdrawal)['status']

/** 'Cancelled' if the investor ended it (decision 149), else the status. */
function wordOf({ status, cancelled }: { status: Status; cancelled: boolean }): string {
  return cancelled ? t('Cancelled') : translate(words[status])
}

/** 'Approved' when not pending, else 'Not approved' (S-01). A declined one has neither badge (decision 75). */
export function ApprovalBadge({ status }: { status: Investment['status'] }) {
  if (status === 'declined') return null
  return status === 'pending' ? (
    <Badge tone="wait">{t('Not approved')}</Badge>
  ) : (
    <Badge tone="good">{t('Approved')}</Badge>
  )
}

/** paid green, declined red, else yellow (S-02). */
export function WithdrawalStatus({ withdrawal }: { withdrawal: Pick<Withdrawal, 'status' | 'cancelled'> }) {
  const { status } = withdrawal
  return <Badge tone={status === 'declined' ? 'bad' : paidTone(status)}>{wordOf(withdrawal)}</Badge>
}

/** paid green, else yellow (S-03, D-15). */
function paidTone(status: (Deposit | Earning | Withdrawal)['status']): Tone {
  return status === 'paid' ? 'good' : 'wait'
}

export function EarningBadge({ status }: Pick<Earning, 'status'>) {
  return <Badge tone={paidTone(status)}>{translate(words[status])}</Badge>
}

/** The badge and, for a declined earning, the reason. */
export function EarningStatus({ earning }: { earning: Pick<Earning, 'status' | 'declineReason'> }) {
  const { status, declineReason } = earning
  return (
    <span className="grid max-w-72 justify-items-end gap-1 sm:justify-items-start">
      <EarningBadge status={status} />
      {declineReason && (
        <span dir="auto" className="text-bad text-sm">
          {declineReason}
        </span>
      )}
    </span>
  )
}

export function DepositStatus({ deposit }: { deposit: Pick<Deposit, 'status' | 'cancelled'> }) {
  return <Badge tone={paidTone(deposit.status)}>{wordOf(deposit)}</Badge>
}

const stageWords: Partial<Record<Deposit['stage'], string>> = {
  seen: msg('Seen'),
  confirming: msg('Confirming'),
  confirmed: msg('Confirmed'),
  underpaid: msg('Underpaid'),
  dropped: msg('Dropped'),
  reversed: msg('Reversed'),
}

/** The status, or the stage of a payment that its network has shown. */
export function DepositStanding({
  deposit,
}: {
  deposit: Pick<Deposit, 'status' | 'cancelled' | 'stage' | 'missing'>
}) {
  const { stage, missing } = deposit
  // Credited in part, and the rest can still come.
  const stageWord = stageWords[stage === 'paid_under' && missing !== null ? 'underpaid' : stage]
  if (stageWord === undefined) return <DepositStatus deposit={deposit} />
  return <Badge tone={stage === 'reversed' ? 'bad' : 'wait'}>{translate(stageWord)}</Badge>
}
