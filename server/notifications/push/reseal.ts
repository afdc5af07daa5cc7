import type { Services } from '#server/context.ts'
import { keyRing, resealed } from '#server/platform/encrypted.ts'
import { devicePurpose } from './subscription.ts'

/** Rows read by one statement. */
const BATCH = 500

/**
 * Reseals under TOKEN_SECRET what an earlier secret sealed.
 * @returns how many subscriptions were resealed
 */
export async function resealDevices({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, devicePurpose)
  let done = 0
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('app.push_devices')
      .select(['id', 'sealed'])
      .$if(after !== '', query => query.where('id', '>', after))
      .orderBy('id')
      .limit(BATCH)
      .execute()
    for (const { id, sealed } of rows) {
      const anew = resealed(keys, id, sealed)
      if (anew === undefined) continue
      await db.updateTable('app.push_devices').set({ sealed: anew }).where('id', '=', id).execute()
      done++
    }
    if (rows.length < BATCH) return done
    after = rows.at(-1)!.id
  }
}
