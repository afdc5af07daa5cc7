import type { MovementStatus } from '#shared/contract/monitoring.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import type { CaseStatus } from '#shared/monitoring.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

export const statusWords: Record<CaseStatus, string> = {
  open: msg('Open'),
  explained: msg('Explained'),
  reported: msg('Reported'),
}
const tones: Record<CaseStatus, Tone> = { open: 'wait', explained: 'good', reported: 'bad' }

/** What was decided about a case. */
export function CaseBadge({ status }: { status: CaseStatus }) {
  return <Badge tone={tones[status]}>{translate(statusWords[status])}</Badge>
}

const movementWords: Record<MovementStatus, string> = {
  pending: msg('Pending'),
  approved: msg('Approved'),
  unpaid: msg('Unpaid'),
  paid: msg('Paid'),
  declined: msg('Declined'),
  cancelled: msg('Cancelled'),
}
const movementTones: Partial<Record<MovementStatus, Tone>> = {
  paid: 'good',
  declined: 'bad',
  cancelled: 'bad',
}

/** What became of a deposit or withdrawal. */
export function MovementBadge({ status }: { status: MovementStatus }) {
  return <Badge tone={movementTones[status] ?? 'wait'}>{translate(movementWords[status])}</Badge>
}
