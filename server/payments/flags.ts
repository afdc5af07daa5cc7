import { sql } from 'kysely'
import type { DepositFlag } from '#shared/contract/entities.ts'

/** Takes a flag off a deposit. Of one that nothing is to be looked at any more, nobody has looked. */
export function withoutFlag(flag: DepositFlag) {
  const others = sql<DepositFlag[]>`array_remove(flags, ${flag})`
  const isLooked = sql<boolean>`(arrival IS NOT NULL OR ${others} <> '{}')`
  return {
    flags: others,
    looked_at: sql<Date | null>`CASE WHEN ${isLooked} THEN looked_at END`,
    looked_by: sql<string | null>`CASE WHEN ${isLooked} THEN looked_by END`,
  }
}
