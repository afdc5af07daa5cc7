import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { isRestored } from '#server/restores/beat.ts'
import { payoutRefusals } from './messages.ts'

/**
 * A restored database has forgotten payouts: a withdrawal that it shows as approved may be paid by a file that is outside.
 * @throws AppError restored
 */
export async function requireNoRestore(db: Kysely<Schema>, config: Config): Promise<void> {
  if (await isRestored({ db, config })) throw payoutRefusals.error({ reason: 'restored' })
}

/**
 * Lets payouts go on, once an operator has done what docs/operate.md asks for after a restore. Files of open batches count as
 * downloaded: nobody knows which of them were.
 * @param note who made sure of what @returns the number of restores that this ends
 */
export function resumePayouts({ db, clock }: Pick<Services, 'db' | 'clock'>, note: string): Promise<number> {
  const now = clock.now()
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('app.restores')
      .set({ resolved_at: now, resolution: note })
      .where('resolved_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return 0
    await tx
      .updateTable('app.payout_files')
      .set({ exported_at: now })
      .where('exported_at', 'is', null)
      .where('batch_id', 'in', tx.selectFrom('app.payout_batches').select('id').where('ended_at', 'is', null))
      .execute()
    return Number(numUpdatedRows)
  })
}
