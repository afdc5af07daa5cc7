import type { OwnCheck, OwnIdentity } from '#shared/contract/identity.ts'
import { msg } from '#shared/i18n/t.ts'
import { type CheckKind, type CheckStatus, checkKinds, type IdentityLevel } from '#shared/identity.ts'
import { identityReminderDays } from '#shared/limits.ts'
import type { Tone } from '#web/ui/badge.tsx'

/** All of these are named by `msg`. */
export const levelWords: Record<IdentityLevel, string> = {
  none: msg('Your identity is not verified yet'),
  identity: msg('Your identity is verified'),
  funds: msg('Your identity and the source of your money are verified'),
}

export const kindWords: Record<CheckKind, string> = {
  identity: msg('Identity'),
  funds: msg('Source of your money'),
}

export const statusWords: Record<CheckStatus, readonly [words: string, tone: Tone]> = {
  waiting: [msg('We are checking it'), 'wait'],
  verified: [msg('Verified'), 'good'],
  returned: [msg('Needs a correction'), 'wait'],
  refused: [msg('Refused'), 'bad'],
  cancelled: [msg('Cancelled'), 'bad'],
}

/** The most that the caller may withdraw in a year, and have invested, in dollars; null: as much as they like. */
export function limitOf({ level, limits, refused }: OwnIdentity): number | null {
  if (refused || level === 'funds') return null
  return limits[level]
}

/** What the caller can prove next: nothing, if nothing more is asked for. */
export function nextKind(own: OwnIdentity): CheckKind | null {
  if (own.refused || own.level === 'funds') return null
  if (own.level === 'none') return own.limits.none === null ? null : 'identity'
  return own.limits.identity === null ? null : 'funds'
}

/** What is verified and ends within the days of the reminder, so that it should be renewed. */
export function endingKinds({ checks, level }: OwnIdentity): CheckKind[] {
  if (level === 'none') return []
  const soon = new Date(Date.now() + identityReminderDays * 86_400_000).toISOString().slice(0, 10)
  return checkKinds.filter(kind => {
    const days = checks.flatMap(check => (check.kind === kind && check.expiresOn) || [])
    return days.length > 0 && days.every(day => day < soon)
  })
}

/** The newest check of a kind, if its owner has not taken it back. */
export function latestOf({ checks }: OwnIdentity, kind: CheckKind): OwnCheck | undefined {
  return checks.find(check => check.kind === kind && check.status !== 'cancelled')
}

/** True while we check what the caller sent of a kind. */
export function isChecking({ checks }: OwnIdentity, kind: CheckKind): boolean {
  return checks.some(check => check.kind === kind && check.status === 'waiting')
}
