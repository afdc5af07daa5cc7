import type { MovementStatus } from '#shared/contract/monitoring.ts'
import type { CaseStatus } from '#shared/monitoring.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { capital } from '#web/ui/capital.ts'

export const statusWords: Record<CaseStatus, string> = {
  open: 'Open',
  explained: 'Explained',
  reported: 'Reported',
}
const tones: Record<CaseStatus, Tone> = { open: 'wait', explained: 'good', reported: 'bad' }

/** What was decided about a case. */
export function CaseBadge({ status }: { status: CaseStatus }) {
  return <Badge tone={tones[status]}>{statusWords[status]}</Badge>
}

const movementTones: Partial<Record<MovementStatus, Tone>> = {
  paid: 'good',
  declined: 'bad',
  cancelled: 'bad',
}

/** What became of a deposit or withdrawal. */
export function MovementBadge({ status }: { status: MovementStatus }) {
  return <Badge tone={movementTones[status] ?? 'wait'}>{capital(status)}</Badge>
}
