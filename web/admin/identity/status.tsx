import type { CheckKind, CheckStatus, IdentityLevel } from '#shared/identity.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

export const statusWords: Record<CheckStatus, string> = {
  waiting: 'Waiting',
  verified: 'Verified',
  returned: 'Returned',
  refused: 'Refused',
  cancelled: 'Cancelled',
}
const tones: Record<CheckStatus, Tone> = {
  waiting: 'wait',
  verified: 'good',
  returned: 'wait',
  refused: 'bad',
  cancelled: 'bad',
}

export const kindWords: Record<CheckKind, string> = { identity: 'Identity', funds: 'Source of funds' }

/** What an account has proved. */
export const levelWords: Record<IdentityLevel, string> = {
  none: 'Nothing proved',
  identity: 'Identity verified',
  funds: 'Identity and source of funds verified',
}

/** What was decided about a check. */
export function CheckBadge({ status }: { status: CheckStatus }) {
  return <Badge tone={tones[status]}>{statusWords[status]}</Badge>
}
