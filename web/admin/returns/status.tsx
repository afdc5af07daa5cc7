import type { RealisedReturn } from '#shared/contract/entities.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

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
