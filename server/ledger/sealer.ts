import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { Clock } from '#server/platform/clock.ts'
import { directOf } from '#server/platform/database/direct.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import { rootOf } from './merkle.ts'
import {
  emptyLogs,
  hashOf,
  isSignedBy,
  type Leaves,
  type Logs,
  logsOf,
  NO_SEAL,
  nameOf,
  type SealKey,
  type SealName,
  type SealRow,
  sealKeys,
  signed,
  withLeaves,
} from './seals.ts'

/** Leaves of a log that one seal adds, at most: half a second's work. */
const MOST_LEAVES = 50_000

export type SealOptions = {
  pool: Pool
  config: Secrets
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
  /** The latest seal, if its secret is lost or it is broken, and the operator vouches for it. */
  trusted?: SealName | undefined
  mostLeaves?: number
}

/** Why nothing can be sealed: the chain of seals is not what this installation left. */
class BrokenChain extends Error {}

/** The newest seal that this process has seen, by its database: a chain without it is another one. */
const newest = new WeakMap<Pool, SealName>()

/**
 * Seals every committed transaction and audit row that is not sealed yet (0042_ledger_seals.sql). A chain that does not
 * continue what this installation signed is not extended: that is logged as an error.
 * @returns how many seals it made, or null if the chain is broken
 */
export async function sealBooks(options: SealOptions): Promise<number | null> {
  const client = await directOf(options.pool).connect()
  // A connection that was closed has no transaction and no lock.
  let isClean = false
  try {
    const seals = await sealAlone(client, options)
    isClean = true
    return seals
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error
    options.log.error({ alarm: 'ledger', check: 'seals' }, `nothing is sealed: ${error.message}`)
    // The server notices a closed connection later, and would hold the lock until then.
    await client.query('ROLLBACK')
    await client.query('SELECT pg_advisory_unlock($1)', [lockKeys.seals])
    isClean = true
    return null
  } finally {
    client.release(!isClean)
  }
}

async function sealAlone(client: PoolClient, options: SealOptions): Promise<number> {
  // Taken before the snapshot, so that two sealers never continue the same seal.
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [lockKeys.seals])
  if (!rows[0].locked) return 0
  let seals = 0
  for (let more = true; more; ) {
    const pass = await sealOnce(client, options)
    if (pass.isSealed) seals++
    more = pass.more
  }
  await client.query('SELECT pg_advisory_unlock($1)', [lockKeys.seals])
  return seals
}

/** One pass over what is new: in a transaction of its own, whose cost does not depend on what is left. */
async function sealOnce(
  client: PoolClient,
  options: SealOptions,
): Promise<{ isSealed: boolean; more: boolean }> {
  const { pool, config, clock, log, mostLeaves = MOST_LEAVES } = options
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const previous = await latestSeal(client)
  const keys = sealKeys(config)
  await requireOurs(client, previous, keys, options)
  const leaves = await collectLeaves(client, mostLeaves)
  if (leaves.number === null) {
    await client.query('COMMIT')
    return { isSealed: false, more: leaves.more }
  }
  const before = await logsAt(client, previous)
  const { journal, audit } = withLeaves(before, leaves)
  const seal = signed(
    {
      number: leaves.number,
      sealed_at: clock.now(),
      journal_size: BigInt(journal.size),
      journal_root: rootOf(journal),
      audit_size: BigInt(audit.size),
      audit_root: rootOf(audit),
      previous_hash: previous?.hash ?? NO_SEAL,
      journal_subtrees: [...journal.subtrees],
      audit_subtrees: [...audit.subtrees],
    },
    keys[0],
  )
  await addSeal(client, seal)
  await client.query('COMMIT')
  const name = nameOf(seal)
  newest.set(pool, name)
  const transactions = journal.size - before.journal.size
  const auditRows = audit.size - before.audit.size
  log.info({ seal: name.number.toString(), hash: name.hash, transactions, auditRows }, 'sealed')
  return { isSealed: true, more: leaves.more }
}

async function latestSeal(client: PoolClient): Promise<SealRow | undefined> {
  const { rows } = await client.query<SealRow>('SELECT * FROM ledger.seals ORDER BY number DESC LIMIT 1')
  return rows[0]
}

/** @throws BrokenChain if the latest seal is not one that we may continue */
async function requireOurs(
  client: PoolClient,
  latest: SealRow | undefined,
  keys: readonly SealKey[],
  { pool, trusted }: SealOptions,
): Promise<void> {
  const seen = newest.get(pool)
  if (seen !== undefined && !(await hasSeal(client, seen))) {
    throw new BrokenChain(`seal ${seen.number}, which this process has seen, is not in the database any more`)
  }
  if (latest === undefined) return
  const name = nameOf(latest)
  if (trusted?.number !== name.number || trusted.hash !== name.hash) {
    if (!hashOf(latest).equals(latest.hash) || logsOf(latest) === undefined) {
      throw new BrokenChain(`seal ${name.number} was changed (docs/operate.md, Seals)`)
    }
    if (!isSignedBy(keys, latest)) {
      throw new BrokenChain(
        `seal ${name.number} is not signed with TOKEN_SECRET or TOKEN_SECRETS_BEFORE (docs/operate.md, Seals)`,
      )
    }
  }
  newest.set(pool, name)
}

/** The logs up to a seal. If it does not state them any more, those before it with its leaves, as in the check. */
async function logsAt(client: PoolClient, seal: SealRow | undefined): Promise<Logs> {
  if (seal === undefined) return emptyLogs
  const stated = logsOf(seal)
  if (stated !== undefined) return stated
  const { rows: before } = await client.query<SealRow>('SELECT * FROM ledger.seals WHERE number = $1', [
    seal.number - 1n,
  ])
  const { rows: leaves } = await client.query<Leaves>(
    'SELECT transaction_hashes AS journal, audit_hashes AS audit FROM ledger.seal_batches WHERE number = $1',
    [seal.number],
  )
  return leaves.reduce(withLeaves, await logsAt(client, before[0]))
}

/** True if the chain contains the seal. That the chain is whole, the check of the books proves. */
export async function hasSeal(client: PoolClient | Pool, { number, hash }: SealName): Promise<boolean> {
  const { rows } = await client.query<Pick<SealRow, 'hash'>>(
    'SELECT hash FROM ledger.seals WHERE number = $1',
    [number.toString()],
  )
  return rows[0]?.hash.toString('hex') === hash
}

/** Since when something waits for its seal; null if nothing does. */
export async function unsealedSince(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ since: Date | null }>('SELECT ledger.unsealed_since() AS since')
  return rows[0]!.since
}

/** A batch without a seal. Its number is null if there is nothing to seal. */
type Batch = ({ number: bigint } & Leaves) | { number: null }

async function collectLeaves(client: PoolClient, most: number): Promise<Batch & { more: boolean }> {
  const { rows } = await client.query<Batch & { more: boolean }>('SELECT * FROM ledger.collect_leaves($1)', [
    most,
  ])
  return rows[0]!
}

/** Adds the seal of the collected leaves; the database refuses one that nobody could continue. */
export async function addSeal(client: Pool | PoolClient, seal: SealRow): Promise<void> {
  await client.query(
    `SELECT ledger.add_seal(ROW($1::bigint, $2::timestamptz, $3::bigint, $4::bytea, $5::bigint, $6::bytea, $7::bytea,
                                $8::bytea, $9::bytea, $10::bytea, $11::bytea[], $12::bytea[])::ledger.seals)`,
    [
      seal.number,
      seal.sealed_at,
      seal.journal_size,
      seal.journal_root,
      seal.audit_size,
      seal.audit_root,
      seal.previous_hash,
      seal.public_key,
      seal.signature,
      seal.hash,
      seal.journal_subtrees,
      seal.audit_subtrees,
    ],
  )
}
