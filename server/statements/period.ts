import type { Caller, SignedInContext } from '#server/context.ts'
import { localTimes } from '#server/platform/zones.ts'
import { momentsOf } from '#server/queries/filters.ts'
import type { StatementAccount } from '#shared/contract/entities.ts'
import type { StatementFilter } from '#shared/contract/ledger.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { may } from '#shared/roles.ts'

/**
 * The owner of the requested statement.
 * @throws AppError forbidden for another user, known or unknown, without the right to the books (D8)
 */
export function ownerOf({ userId }: Pick<StatementFilter, 'userId'>, caller: Caller): string {
  if (userId !== undefined && userId !== caller.userId && !may(caller.role, 'books')) {
    throw new AppError('forbidden', t('You can only see your own statement'))
  }
  return userId ?? caller.userId
}

export type Period = {
  /** From `from` to just before `until`; undefined: no limit. */
  from: Date | undefined
  until: Date | undefined
  /** YYYY-MM-DD in the zone; undefined: since the first posting. */
  firstDay: string | undefined
  /** YYYY-MM-DD in the zone; today by default. */
  lastDay: string
  zone: string
}

/**
 * The period between two days in a zone, both inclusive.
 * @throws AppError invalid_input if the last day is before the first
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

/** The file's name: 'statement-held-2026-07-01-to-2026-09-30.csv'. */
export function fileName(
  { firstDay, lastDay }: Period,
  { account, kind }: Pick<StatementFilter, 'account' | 'kind'>,
  extension: 'csv' | 'pdf',
): string {
  const days = firstDay === undefined ? ['until', lastDay] : [firstDay, 'to', lastDay]
  const parts = ['statement', account && fileWords[account], kind && `${kind}s`, ...days]
  return `${parts.filter(part => part !== undefined).join('-')}.${extension}`
}

/** The accounts' names on the page, for file names. */
const fileWords: Record<StatementAccount, string> = {
  available: 'available',
  invested: 'in-plans',
  held: 'on-hold',
}
