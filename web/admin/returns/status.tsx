import type { RealisedReturn } from '#shared/contract/entities.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

const returnBadges: Record<RealisedReturn['status'], [words: string, tone: Tone]> = {
  pending: [msg('Pending'), 'wait'],
  recorded: [msg('Recorded'), 'good'],
  declined: [msg('Declined'), 'bad'],
  void_proposed: [msg('Void proposed'), 'wait'],
  voided: [msg('Voided'), 'bad'],
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
      <Badge tone={tone}>{translate(words)}</Badge>
      {reason && (
        <span dir="auto" className="mt-1 block text-bad text-sm">
          {reason}
        </span>
      )}
    </span>
  )
}
