import type { Services } from '#server/context.ts'
import { resealProofs } from '#server/identity/sealed.ts'
import { resealWebhooks } from '#server/integrations/webhook-secrets.ts'
import { resealDevices } from '#server/notifications/push/reseal.ts'
import { keyFor, keyRing, resealed, unseal } from '#server/platform/encrypted.ts'
import { resealProof } from '#server/proof/secrets.ts'
import { hashPurpose, recoveryHash, sealPurpose } from './recovery-codes.ts'

/** The key purpose for sealing authenticator secrets. */
export const factorPurpose = 'second factor secret'

/** Rows read by one statement. */
const BATCH = 500

/**
 * Reseals under TOKEN_SECRET what an earlier secret sealed, so that the earlier one can be removed. Every code keeps
 * working throughout, and running it twice or in parallel is harmless.
 * @returns how many secrets and codes were resealed
 * @throws Error if something is sealed under an unknown secret
 */
export async function resealAll(services: Services): Promise<number> {
  const own = (await resealFactors(services)) + (await resealCodes(services))
  const others = (await resealWebhooks(services)) + (await resealDevices(services))
  return own + others + (await resealProofs(services)) + (await resealProof(services))
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
      // A secret replaced meanwhile is already sealed under the current key.
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

/** Skips used codes: their rows only record that they were used. */
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
