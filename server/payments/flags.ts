import { sql } from 'kysely'
import type { DepositFlag } from '#shared/contract/entities.ts'

/** Takes a flag off a deposit. Of one that nothing is to be looked at any more, nobody has looked. */
export function withoutFlag(flag: DepositFlag) {
  const others = sql<DepositFlag[]>`array_remove(flags, ${flag})`
  const isLooked = sql<boolean>`(deviation IS NOT NULL OR ${others} <> '{}')`
  return {
    flags: others,
    reviewed_at: sql<Date | null>`CASE WHEN ${isLooked} THEN reviewed_at END`,
    reviewed_by: sql<string | null>`CASE WHEN ${isLooked} THEN reviewed_by END`,
  }
}
