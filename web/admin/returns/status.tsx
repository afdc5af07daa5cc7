import type { RealisedReturn } from '#shared/contract/entities.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

const returnBadges: Record<RealisedReturn['status'], [words: string, tone: Tone]> = {
  pending: ['Pending', 'wait'],
  recorded: ['Recorded', 'good'],
  declined: ['Declined', 'bad'],
  void_proposed: ['Void proposed', 'wait'],
  voided: ['Voided', 'bad'],
}

/** The badge and, for a return that is declined or in question, the reason, aligned like the text around them. */
export function ReturnStatus({
  of,
}: {
  of: Pick<RealisedReturn, 'status' | 'declineReason' | 'voidReason'>
}) {
  const [words, tone] = returnBadges[of.status]
  const reason = of.declineReason ?? of.voidReason
  return (
    <span className="inline-block max-w-72">
      <Badge tone={tone}>{words}</Badge>
      {reason && <span className="mt-1 block text-bad text-sm">{reason}</span>}
    </span>
  )
}
