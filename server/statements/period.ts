import type { Caller, SignedInContext } from '#server/context.ts'
import { localTimes } from '#server/platform/zones.ts'
import { momentsOf } from '#server/queries/filters.ts'
import type { StatementAccount } from '#shared/contract/entities.ts'
import type { StatementFilter } from '#shared/contract/ledger.ts'
import { AppError } from '#shared/errors.ts'
import { may } from '#shared/roles.ts'

/**
 * Whose statement is asked for.
 * @throws AppError forbidden where it is another's and the caller has no right to the books, whether there is such a user or not (D8)
 */
export function ownerOf({ userId }: Pick<StatementFilter, 'userId'>, caller: Caller): string {
  if (userId !== undefined && userId !== caller.userId && !may(caller.role, 'books')) {
    throw new AppError('forbidden', 'You can see your own statement only')
  }
  return userId ?? caller.userId
}

export type Period = {
  /** The first moment in it, and the first one after it; undefined: no limit. */
  from: Date | undefined
  until: Date | undefined
  /** YYYY-MM-DD in the zone; undefined: from the first posting on. */
  firstDay: string | undefined
  /** YYYY-MM-DD in the zone: today where no day was asked for. */
  lastDay: string
  zone: string
}

/**
 * The period between two days of a zone, both included.
 * @throws AppError invalid_input where the last day comes before the first
 */
export function periodOf(
  { from, to, zone }: Pick<StatementFilter, 'from' | 'to' | 'zone'>,
  { services: { clock } }: Pick<SignedInContext, 'services'>,
): Period {
  const { from: first, until } = momentsOf({ from, to, zone })
  return {
    from: first,
    until,
    firstDay: from,
    lastDay: to ?? localTimes(zone)(clock.now()).day,
    zone,
  }
}

/** 'statement-held-2026-07-01-to-2026-09-30.csv': the name under which a statement is saved. */
export function fileName(
  { firstDay, lastDay }: Period,
  { account, kind }: Pick<StatementFilter, 'account' | 'kind'>,
  extension: 'csv' | 'pdf',
): string {
  const days = firstDay === undefined ? ['until', lastDay] : [firstDay, 'to', lastDay]
  const parts = ['statement', account && fileWords[account], kind && `${kind}s`, ...days]
  return `${parts.filter(part => part !== undefined).join('-')}.${extension}`
}

/** The accounts as the page calls them. */
const fileWords: Record<StatementAccount, string> = {
  available: 'available',
  invested: 'in-plans',
  held: 'on-hold',
}
