import { msg, translate } from '#shared/i18n/t.ts'
import type { CheckKind, CheckStatus, IdentityLevel } from '#shared/identity.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

export const statusWords: Record<CheckStatus, string> = {
  waiting: msg('Waiting'),
  verified: msg('Verified'),
  returned: msg('Returned'),
  refused: msg('Refused'),
  cancelled: msg('Cancelled'),
}
const tones: Record<CheckStatus, Tone> = {
  waiting: 'wait',
  verified: 'good',
  returned: 'wait',
  refused: 'bad',
  cancelled: 'bad',
}

export const kindWords: Record<CheckKind, string> = {
  identity: msg('Identity'),
  funds: msg('Source of funds'),
}

/** What an account has proved. */
export const levelWords: Record<IdentityLevel, string> = {
  none: msg('Nothing proved'),
  identity: msg('Identity verified'),
  funds: msg('Identity and source of funds verified'),
}

/** What was decided about a check. */
export function CheckBadge({ status }: { status: CheckStatus }) {
  return <Badge tone={tones[status]}>{translate(statusWords[status])}</Badge>
}
