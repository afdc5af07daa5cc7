import { sql } from 'kysely'
import type { DepositFlag } from '#shared/contract/entities.ts'

/** Removes a flag. Without a flag or a deviation, the deposit needs no review. */
export function withoutFlag(flag: DepositFlag) {
  const others = sql<DepositFlag[]>`array_remove(flags, ${flag})`
  return {
    flags: others,
    needs_review: sql<boolean>`needs_review AND (${others} <> '{}' OR (app.amounts_of(id)).deviation IS NOT NULL)`,
  }
}

/** Adds a flag, which needs a review. */
export function withFlag(flag: DepositFlag) {
  return {
    flags: sql<DepositFlag[]>`array_append(array_remove(flags, ${flag}), ${flag})`,
    needs_review: true,
  }
}
