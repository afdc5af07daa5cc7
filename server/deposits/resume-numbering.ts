import { sql } from 'kysely'
import { lastIndex, lockNumbering } from '#server/chain/numbering.ts'
import type { Services } from '#server/context.ts'
import type { Rail } from '#server/rails/rail.ts'
import { lastMark, mark } from './address-marks.ts'

/** The most addresses that are left out at once: a wallet finds payments beyond them only with a gap limit above it. */
const MOST_SKIPPED = 1_000

/**
 * Goes on numbering the addresses of a rail's account after `index`, once a person has made sure that nobody was given a later one. The
 * ones left out stay unassigned and are watched.
 * @returns how many were left out
 * @throws RangeError in words for the operator
 */
export async function resumeNumbering(
  { db, config, clock }: Pick<Services, 'db' | 'config' | 'clock'>,
  { name: rail, receiving }: Rail,
  index: number,
): Promise<number> {
  if (receiving.kind === 'fixed') throw new RangeError(`${rail} has one fixed address: nothing is numbered`)
  const { account, addressAt } = receiving
  const skipped = await db.transaction().execute(async tx => {
    await lockNumbering(tx, account)
    const last = await lastIndex(tx, account)
    const known = await tx
      .selectFrom('app.receiving_accounts')
      .select(['stopped_at', 'known_index'])
      .where('account', '=', account)
      .executeTakeFirst()
    if (!known?.stopped_at) throw new RangeError(`${rail} is not stopped: nothing to resume`)
    const least = Math.max(last, known.known_index ?? -1, (await lastMark(config.dataDir, account)) ?? -1)
    if (index < least)
      throw new RangeError(`address ${least} was given to somebody: name ${least} or a later one`)
    if (index - last > MOST_SKIPPED) {
      throw new RangeError(
        `at most ${MOST_SKIPPED} addresses can be left out: name ${last + MOST_SKIPPED} or less`,
      )
    }
    const now = clock.now()
    const rows = Array.from({ length: index - last }, (_, n) => last + 1 + n).map(skippedIndex => ({
      account,
      branch: 0 as const,
      address_index: skippedIndex,
      rail,
      address: addressAt(0, skippedIndex),
      user_id: null,
      created_at: now,
    }))
    if (rows.length > 0) await tx.insertInto('app.payment_addresses').values(rows).execute()
    await tx
      .updateTable('app.receiving_accounts')
      .set({ server: sql<string>`app.this_server()` })
      .set({ stopped_at: null, stopped_because: null, known_index: null, told_at: null })
      .where('account', '=', account)
      .execute()
    return rows.length
  })
  if (index >= 0) await mark(config.dataDir, account, index)
  return skipped
}
