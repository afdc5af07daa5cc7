import type { OwnCheck, OwnIdentity } from '#shared/contract/identity.ts'
import {
  type CheckKind,
  type CheckStatus,
  checkKinds,
  checkWords,
  type IdentityLevel,
} from '#shared/identity.ts'
import { identityReminderDays } from '#shared/limits.ts'
import type { Tone } from '#web/ui/badge.tsx'

export const levelWords: Record<IdentityLevel, string> = {
  none: 'Your identity is not verified yet',
  identity: 'Your identity is verified',
  funds: 'Your identity and the source of your money are verified',
}

export const kindWords: Record<CheckKind, string> = { identity: 'Identity', funds: 'Source of your money' }

export const statusWords: Record<CheckStatus, readonly [words: string, tone: Tone]> = {
  waiting: ['We are checking it', 'wait'],
  verified: ['Verified', 'good'],
  returned: ['Needs a correction', 'wait'],
  refused: ['Refused', 'bad'],
  cancelled: ['Cancelled', 'bad'],
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
function isChecking({ checks }: OwnIdentity, kind: CheckKind): boolean {
  return checks.some(check => check.kind === kind && check.status === 'waiting')
}

/** 'proof of your identity', for its owner. */
export const proofWords: Record<CheckKind, string> = {
  identity: 'proof of your identity',
  funds: 'proof of the source of your money',
}

/** What waits for a proof: '1 withdrawal', '2 investments'. */
export function waitingParts({ waiting }: OwnIdentity) {
  const kinds = [
    ['withdrawals', 'withdrawal'],
    ['investments', 'investment'],
  ] as const
  return kinds
    .filter(([list]) => waiting[list] > 0)
    .map(([list, one]) => ({ list, words: `${waiting[list]} ${waiting[list] === 1 ? one : list}` }))
}

/** What those wait for: 'wait for proof of your identity'; null if nothing does. */
export function waitingFor(own: OwnIdentity): string | null {
  const { withdrawals, investments, for: kind } = own.waiting
  if (kind === null) return null
  const verb = withdrawals + investments === 1 ? 'waits' : 'wait'
  return isChecking(own, kind)
    ? `${verb} until we have checked your ${checkWords[kind]}`
    : `${verb} for ${proofWords[kind]}`
}
