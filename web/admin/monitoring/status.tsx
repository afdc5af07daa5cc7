import type { CaseStatus } from '#shared/monitoring.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

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
