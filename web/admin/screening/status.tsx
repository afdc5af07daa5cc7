import type { NameMatch } from '#shared/contract/screening.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

export const statusWords: Record<NameMatch['status'], string> = {
  open: msg('To decide'),
  different: msg('Somebody else'),
  same: msg('The listed one'),
  lapsed: msg('No longer listed'),
}
const tones: Record<NameMatch['status'], Tone> = {
  open: 'wait',
  different: 'good',
  same: 'bad',
  lapsed: 'plain',
}

/** What was decided about a match, and of the listed one also whether they are listed no more. */
export function MatchStatus({
  of: { status, inForce, list },
}: {
  of: Pick<NameMatch, 'status' | 'inForce' | 'list'>
}) {
  return (
    <span className="flex flex-wrap gap-2">
      <Badge tone={status === 'same' && list === 'pep' ? 'wait' : tones[status]}>
        {translate(statusWords[status])}
      </Badge>
      {list === 'pep' && <Badge tone="plain">{t('Politically exposed')}</Badge>}
      {status === 'same' && !inForce && <Badge tone="plain">{translate(statusWords.lapsed)}</Badge>}
    </span>
  )
}
