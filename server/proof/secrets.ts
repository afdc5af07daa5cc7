import { createSecretKey, randomBytes } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { keyFor, keyRing, resealed, type Secrets, seal, unseal } from '#server/platform/encrypted.ts'
import { keyContext, keyPurpose, type ProofKeyPurpose } from './keys.ts'

const SECRET_BYTES = 32
/** Rows read by one statement. */
const PAGE = 500

/** An investor's secret, and the number by which only they know their parts. Erased: nobody can open their tags any more. */
export type ProofSecret = { number: bigint; secret: Buffer | undefined }

/**
 * The secrets of these investors, made for those who have none.
 * @throws UnreadableSecret
 */
export async function secretsOf(
  client: PoolClient,
  secrets: Secrets,
  owners: readonly string[],
): Promise<Map<string, ProofSecret>> {
  const found = await readSecrets(client, secrets, owners)
  const missing = owners.filter(owner => !found.has(owner))
  if (missing.length === 0) return found
  const key = keyFor(secrets, keyPurpose)
  await client.query(
    `INSERT INTO app.proof_secrets (user_id, sealed_secret) SELECT * FROM unnest($1::uuid[], $2::bytea[])
         ON CONFLICT DO NOTHING`,
    [missing, missing.map(owner => seal(key, contextOf(owner), randomBytes(SECRET_BYTES)))],
  )
  return await readSecrets(client, secrets, owners)
}

/** Before an epoch ends, so that reading a proof never writes: secrets for all investors who have none. */
export async function makeMissingSecrets(client: PoolClient, secrets: Secrets): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ id: string }>(
      `SELECT u.id FROM app.users u LEFT JOIN app.proof_secrets s ON s.user_id = u.id
        WHERE u.type = 'investor' AND s.user_id IS NULL LIMIT ${PAGE}`,
    )
    if (rows.length === 0) return
    await secretsOf(
      client,
      secrets,
      rows.map(({ id }) => id),
    )
  }
}

/** @throws UnreadableSecret */
export async function readSecrets(
  client: Pool | PoolClient,
  secrets: Secrets,
  owners: readonly string[],
): Promise<Map<string, ProofSecret>> {
  const { rows } = await client.query<{ user_id: string; number: bigint; sealed_secret: Buffer | null }>(
    'SELECT user_id, number, sealed_secret FROM app.proof_secrets WHERE user_id = ANY ($1)',
    [owners],
  )
  const open = secretOpener(secrets)
  return new Map(
    rows.map(({ user_id, number, sealed_secret }) => [
      user_id,
      { number, secret: open(user_id, sealed_secret) },
    ]),
  )
}

/** An investor's secret that cannot be opened: TOKEN_SECRET is another, or somebody stored something else in its place. */
export class UnreadableSecret extends Error {}

/** Opens sealed secrets; undefined for an erased one. The function throws UnreadableSecret. */
export function secretOpener(secrets: Secrets): (owner: string, sealed: Buffer | null) => Buffer | undefined {
  // A key object takes a fifth of a buffer's time, and a busy day has a million investors.
  const keys = keyRing(secrets, keyPurpose).map(key => createSecretKey(key))
  return (owner, sealed) => {
    if (sealed === null) return undefined
    try {
      return unseal(keys, contextOf(owner), sealed)
    } catch (cause) {
      throw new UnreadableSecret(`the proof secret of the investor ${owner} is ${(cause as Error).message}`, {
        cause,
      })
    }
  }
}

function contextOf(userId: string): string {
  return `proof secret ${userId}`
}

/**
 * Reseals under TOKEN_SECRET what an earlier secret sealed.
 * @returns how many secrets and keys were resealed
 * @throws Error if one is sealed under an unknown secret
 */
export async function resealProof({ pool, config }: { pool: Pool; config: Secrets }): Promise<number> {
  const keys = keyRing(config, keyPurpose)
  const { rows } = await pool.query<{ purpose: ProofKeyPurpose; since_epoch: bigint; sealed_seed: Buffer }>(
    'SELECT purpose, since_epoch, sealed_seed FROM app.proof_keys WHERE sealed_seed IS NOT NULL',
  )
  let done = 0
  for (const { purpose, since_epoch, sealed_seed } of rows) {
    const sealed = resealed(keys, keyContext(purpose), sealed_seed)
    if (sealed === undefined) continue
    await pool.query('SELECT ledger.reseal_proof_key($1, $2, $3, $4)', [
      purpose,
      since_epoch,
      sealed_seed,
      sealed,
    ])
    done++
  }
  for (let after = 0n; ; ) {
    const { rows: page } = await pool.query<{ number: bigint; user_id: string; sealed_secret: Buffer }>(
      `SELECT number, user_id, sealed_secret FROM app.proof_secrets
        WHERE number > $1 AND sealed_secret IS NOT NULL ORDER BY number LIMIT ${PAGE}`,
      [after],
    )
    if (page.length === 0) return done
    for (const { user_id, sealed_secret } of page) {
      const sealed = resealed(keys, contextOf(user_id), sealed_secret)
      if (sealed === undefined) continue
      await pool.query('SELECT app.reseal_proof_secret($1, $2, $3)', [user_id, sealed_secret, sealed])
      done++
    }
    after = page.at(-1)!.number
  }
}
