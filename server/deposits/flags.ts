import { sql } from 'kysely'
import type { DepositFlag } from '#shared/contract/entities.ts'

/** Removes a flag. When no flag or deviation remains, the review mark is cleared too. */
export function withoutFlag(flag: DepositFlag) {
  const others = sql<DepositFlag[]>`array_remove(flags, ${flag})`
  const needsReview = sql<boolean>`(deviation IS NOT NULL OR ${others} <> '{}')`
  return {
    flags: others,
    reviewed_at: sql<Date | null>`CASE WHEN ${needsReview} THEN reviewed_at END`,
    reviewed_by: sql<string | null>`CASE WHEN ${needsReview} THEN reviewed_by END`,
  }
}
