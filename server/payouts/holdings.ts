import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import { exclusively } from '#server/chain/exclusive.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Chain, ChainError, type Holding } from '#server/rails/chain.ts'
import { railOf } from '#server/rails/rails.ts'
import { addressKey } from '#shared/addresses.ts'
import { holdingsMinutes, tronHoldingsRead } from '#shared/limits.ts'
import type { AccountNetwork } from './derivation-paths.ts'
import { sendersOf } from './wallets.ts'

/** Asks the workers to read what the addresses of deposits hold. */
export async function askForHoldings(tx: Tx, ctx: SignedInContext, rail: AccountNetwork): Promise<void> {
  const asked = { asked_at: ctx.services.clock.now(), failure: null }
  await tx
    .insertInto('app.holding_readings')
    .values({ rail, ...asked })
    .onConflict(conflict => conflict.column('rail').doUpdateSet(asked))
    .execute()
  await audit(tx, ctx, { action: 'payout.balances_asked', details: { network: rail } })
}

export type Reading = {
  asked_at: Date
  read_at: Date | null
  height: number | null
  payout_units: bigint | null
  /** Why the reading that was asked for failed. */
  failure: string | null
}

export function readingOf(db: Kysely<Schema>, rail: AccountNetwork): Promise<Reading | undefined> {
  return db
    .selectFrom('app.holding_readings')
    .select(['asked_at', 'read_at', 'height', 'payout_units', 'failure'])
    .where('rail', '=', rail)
    .executeTakeFirst()
}

/** True if staff have asked lately, and no worker has tried since: a node that cannot answer is not asked for ever. */
export function isReadingDue({ asked_at, read_at, failure }: Reading, now: Date): boolean {
  const isRecent = asked_at.getTime() > now.getTime() - holdingsMinutes * 60_000
  return isRecent && failure === null && (read_at === null || read_at < asked_at)
}

type Reader = Pick<Services, 'db' | 'pool' | 'clock' | 'config' | 'log'>

/**
 * Reads them if staff have asked since the last reading, while syncs go on; one process at a time does. A node's failure is kept for
 * staff.
 */
export async function readHoldings(
  services: Reader,
  rail: AccountNetwork,
  chain: Pick<Chain, 'holdings'>,
): Promise<void> {
  const asked = await readingOf(services.db, rail)
  if (asked === undefined || !isReadingDue(asked, services.clock.now())) return
  await exclusively(services.pool, rail, () => readDue(services, rail, chain), 'holdings')
}

async function readDue(
  { db, clock, config, log }: Reader,
  rail: AccountNetwork,
  chain: Pick<Chain, 'holdings'>,
): Promise<void> {
  const [payoutAddress] = sendersOf(config, rail)
  const asked = await readingOf(db, rail)
  if (chain.holdings === undefined || payoutAddress === undefined || asked === undefined) return
  const read_at = clock.now()
  // Another process may have read them meanwhile.
  if (!isReadingDue(asked, read_at)) return
  const addresses = [payoutAddress, ...(await paidAddresses(db, rail))]
  const read = await chain.holdings(addresses, payoutAddress).catch(chainErrorOf)
  if (read instanceof ChainError) {
    log.warn({ err: read, rail }, 'the balances of deposit addresses could not be read')
    await db
      .updateTable('app.holding_readings')
      .set({ failure: read.message })
      .where('rail', '=', rail)
      .where('asked_at', '=', asked.asked_at)
      .execute()
    return
  }
  const { height, rows: found } = read
  const isPayout = ({ address }: Holding) => address === addressKey(payoutAddress)
  const native = rail === 'ethereum' ? 'ETH' : 'TRX'
  const payout_units = found.find(one => isPayout(one) && one.token === native)?.units ?? 0n
  const held = found.filter(one => !isPayout(one))
  await db.transaction().execute(tx => replaceHoldings(tx, rail, { read_at, height, payout_units }, held))
}

function chainErrorOf(error: unknown): ChainError {
  if (error instanceof ChainError) return error
  throw error
}

/** The addresses that have been paid; on TRON those that have received most since they last sent something. */
async function paidAddresses(db: Kysely<Schema>, rail: AccountNetwork): Promise<string[]> {
  const query =
    rail === 'usdt'
      ? sql<{ address: string }>`
          SELECT a.address
            FROM app.payment_addresses a
            JOIN app.chain_transfers t ON t.rail = a.rail AND t.address = app.address_key(a.address)
           WHERE a.rail = 'usdt' AND a.branch = 0 AND t.token = 'USDT' AND t.dropped_at IS NULL
             AND t.block_height > coalesce((SELECT max(s.block_height) FROM app.chain_spends s
                                             WHERE s.rail = 'usdt' AND s.sender = t.address), 0)
           GROUP BY a.address
           ORDER BY sum(t.units) DESC, a.address
           LIMIT ${tronHoldingsRead}`
      : sql<{ address: string }>`
          SELECT address FROM app.payment_addresses
           WHERE rail = ${rail} AND branch = 0 AND used_at IS NOT NULL`
  const { rows } = await query.execute(db)
  return rows.map(({ address }) => address)
}

/** Stores a reading, unless a newer one is there: a process that lost its lock may end late. */
async function replaceHoldings(
  tx: Tx,
  rail: AccountNetwork,
  reading: { read_at: Date; height: number; payout_units: bigint },
  found: readonly Holding[],
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('app.holding_readings')
    .set(reading)
    .where('rail', '=', rail)
    .where(({ or, eb }) => or([eb('read_at', 'is', null), eb('read_at', '<=', reading.read_at)]))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await tx.deleteFrom('app.holdings').where('rail', '=', rail).execute()
  // A statement has 65,535 values at most.
  for (let from = 0; from < found.length; from += 1000) {
    const rows = found.slice(from, from + 1000)
    await tx
      .insertInto('app.holdings')
      .values(rows.map(({ nextNonce: next_nonce, ...row }) => ({ rail, ...row, next_nonce })))
      .execute()
  }
}

/** True if staff have asked lately, so that nonces and fees are needed too. */
export async function areHoldingsAsked(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  rail: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('app.holding_readings')
    .select('rail')
    .where(sql<boolean>`rail = ${rail}`)
    .where('asked_at', '>', new Date(clock.now().getTime() - holdingsMinutes * 60_000))
    .executeTakeFirst()
  return row !== undefined
}

/** An address that holds a coin. */
export type Candidate = {
  address: string
  units: bigint
  gas: bigint | null
  nextNonce: number | null
  /** What it has of the coin that pays its fees: gwei, or 10^-6 TRX. */
  native: bigint
  /** A batch is about to move from it, or its balance has changed since the reading. */
  isBusy: boolean
}

/** True if a batch is about to move from the address of holding `h`, or its balance has changed since reading `r`. */
const isBusy = sql<boolean>`(
  EXISTS (SELECT FROM app.payout_payments p WHERE p.sender = a.address AND p.status NOT IN ('final', 'void'))
  OR EXISTS (SELECT FROM app.chain_spends s
              WHERE s.rail = h.rail AND s.sender = h.address AND s.dropped_at IS NULL
                AND (s.block_height IS NULL OR s.block_height > r.height)))`

/** True if the reading tried the transfer of holding `h`: on Ethereum the largest ones, on TRON all. */
const isTried = sql<boolean>`(h.rail = 'usdt' OR h.next_nonce IS NOT NULL)`

/** Holdings `h` of a coin at the addresses `a` of an account, at reading `r`. */
const holdingsAt = (account: string, rail: AccountNetwork, token: Holding['token']) => sql`
  app.holdings h
  JOIN app.holding_readings r ON r.rail = h.rail
  JOIN app.payment_addresses a ON a.rail = h.rail AND app.address_key(a.address) = h.address
                              AND a.account = ${account} AND a.branch = 0 AND h.rail = ${rail} AND h.token = ${token}`

/** How many addresses hold a coin, and how much, in minor units. */
export type Held = { isBusy: boolean; isTried: boolean; count: number; units: bigint }

/** What the addresses of the configured key held of a coin at the last reading, at most one row of each kind. */
export async function heldOf(
  { db, config }: Pick<Services, 'db' | 'config'>,
  rail: AccountNetwork,
  token: Holding['token'],
): Promise<Held[]> {
  const receiving = railOf(config, rail)?.receiving
  if (receiving?.kind !== 'derived') return []
  const { rows } = await sql<Held>`
    SELECT ${isBusy} AS "isBusy", ${isTried} AS "isTried", count(*)::integer AS count, sum(h.units)::bigint AS units
      FROM ${holdingsAt(receiving.account, rail, token)}
     GROUP BY 1, 2`.execute(db)
  return rows
}

/** The addresses of the configured key whose transfer of a coin the last reading tried. */
export async function candidates(
  { db, config }: Pick<Services, 'db' | 'config'>,
  rail: AccountNetwork,
  token: Holding['token'],
): Promise<Candidate[]> {
  const receiving = railOf(config, rail)?.receiving
  if (receiving?.kind !== 'derived') return []
  const { rows } = await sql<Candidate>`
    SELECT a.address, h.units, h.gas, h.next_nonce AS "nextNonce", coalesce(n.units, 0)::bigint AS native,
           ${isBusy} AS "isBusy"
      FROM ${holdingsAt(receiving.account, rail, token)}
      LEFT JOIN app.holdings n ON n.rail = h.rail AND n.address = h.address
                              AND n.token = ${rail === 'ethereum' ? 'ETH' : 'TRX'}
     WHERE ${isTried}
     ORDER BY h.units DESC, h.address`.execute(db)
  return rows
}
