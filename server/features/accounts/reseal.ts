import type { Services } from '#server/context.ts'
import { keyFor, keyRing, resealed, unseal } from '#server/platform/sealed.ts'
import { hashPurpose, recoveryHash, sealPurpose } from './recovery-codes.ts'

/** Under what the secrets of authenticator apps are sealed. */
export const factorPurpose = 'second factor secret'

/** Rows that one statement reads. */
const BATCH = 500

/**
 * Seals anew, under TOKEN_SECRET, what is still sealed under a secret before it, so that those can be forgotten. Nobody
 * notices: until then, and after it, every code counts. Doing it twice, or in two processes, is harmless.
 * @returns how many secrets and codes were sealed anew
 * @throws Error where something is sealed under no secret that is known
 */
export async function resealAll(services: Services): Promise<number> {
  return (await resealFactors(services)) + (await resealCodes(services))
}

async function resealFactors({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, factorPurpose)
  let done = 0
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('app.second_factors')
      .select(['user_id', 'sealed_secret'])
      .$if(after !== '', query => query.where('user_id', '>', after))
      .orderBy('user_id')
      .limit(BATCH)
      .execute()
    for (const { user_id, sealed_secret } of rows) {
      const sealed = resealed(keys, user_id, sealed_secret)
      if (sealed === undefined) continue
      // Where it was replaced in the meantime, the new one is sealed under the present key already.
      const { numUpdatedRows } = await db
        .updateTable('app.second_factors')
        .set({ sealed_secret: sealed })
        .where('user_id', '=', user_id)
        .where('sealed_secret', '=', sealed_secret)
        .executeTakeFirstOrThrow()
      done += Number(numUpdatedRows)
    }
    if (rows.length < BATCH) return done
    after = rows.at(-1)!.user_id
  }
}

/** A used code stays as it is: its row only says that it was used. */
async function resealCodes({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, sealPurpose)
  const hashKey = keyFor(config, hashPurpose)
  let done = 0
  for (let after = ''; ; ) {
    const holders = await db
      .selectFrom('app.recovery_codes')
      .select('user_id')
      .distinct()
      .where('used_at', 'is', null)
      .$if(after !== '', query => query.where('user_id', '>', after))
      .orderBy('user_id')
      .limit(BATCH)
      .execute()
    for (const { user_id } of holders) done += await resealCodesOf(user_id)
    if (holders.length < BATCH) return done
    after = holders.at(-1)!.user_id
  }

  async function resealCodesOf(userId: string): Promise<number> {
    const rows = await db
      .selectFrom('app.recovery_codes')
      .select(['code_hash', 'sealed_code'])
      .where('user_id', '=', userId)
      .where('used_at', 'is', null)
      .execute()
    let resealedRows = 0
    for (const { code_hash, sealed_code } of rows) {
      const sealed = resealed(keys, userId, sealed_code)
      if (sealed === undefined) continue
      const code = unseal(keys, userId, sealed_code).toString()
      const { numUpdatedRows } = await db
        .updateTable('app.recovery_codes')
        .set({ code_hash: recoveryHash(hashKey, userId, code), sealed_code: sealed })
        .where('user_id', '=', userId)
        .where('code_hash', '=', code_hash)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow()
      resealedRows += Number(numUpdatedRows)
    }
    return resealedRows
  }
}
