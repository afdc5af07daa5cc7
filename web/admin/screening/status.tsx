import type { NameMatch } from '#shared/contract/screening.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

const badges: Record<NameMatch['status'], [words: string, tone: Tone]> = {
  open: ['To decide', 'wait'],
  different: ['Somebody else', 'good'],
  same: ['The listed person', 'bad'],
  lapsed: ['No longer listed', 'plain'],
}

/** What was decided about a match; of a listed person whose entry has gone, that too. */
export function MatchStatus({ of: { status, inForce } }: { of: Pick<NameMatch, 'status' | 'inForce'> }) {
  const [words, tone] = badges[status]
  return (
    <span className="flex flex-wrap gap-2">
      <Badge tone={tone}>{words}</Badge>
      {status === 'same' && !inForce && <Badge tone="plain">No longer listed</Badge>}
    </span>
  )
}
