import { type Selectable, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { lastKnownRate, type Rate, rateAt } from '#server/prices/rates.ts'
import { type CoinAsset, worthInCents, worthInUnits } from '#server/rails/rail.ts'
import { railOf } from '#server/rails/rails.ts'
import { audit, byItself } from '#server/records/audit.ts'
import { currentFirm } from '#server/records/firm.ts'
import { addressKey } from '#shared/addresses.ts'
import { type DepositMethod, paymentMethods } from '#shared/coins.ts'
import { maxUsdCents } from '#shared/money.ts'
import { refreshSeen } from './seen.ts'

type Address = Selectable<Schema['app.payment_addresses']>
type Transfer = Selectable<Schema['app.chain_transfers']>

/**
 * Payments to an address that was shown and that no deposit has taken: their owner never confirmed the request. Dust alone is none, and
 * what the firm's own wallet sends is none; another coin is shown to the firm, as everywhere.
 */

/** Addresses that something has come to, and counts by now. */
export async function dueUnrequested(
  { db }: Pick<Services, 'db'>,
  method: DepositMethod,
  { after, most }: { after: string | undefined; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT a.address
      FROM app.chain_cursors c
      JOIN app.payment_addresses a ON a.method = c.method
      JOIN app.users u ON u.id = a.user_id AND u.frozen_at IS NULL
     WHERE c.method = ${method}
       AND a.branch = 0 AND a.deposit_id IS NULL AND a.used_at IS NOT NULL
       AND (${after ?? null}::text IS NULL OR a.address > ${after ?? null}::text)
       AND EXISTS (SELECT FROM app.chain_transfers t
                    WHERE t.method = c.method AND t.address = app.address_key(a.address)
                      AND t.block_height <= c.synced_height - c.confirmations + 1
                      AND (t.ignored_reason IS NULL OR t.ignored_reason = 'wrong_asset'))
     ORDER BY a.address
     LIMIT ${most}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * A deposit of what came first; it is credited like any other then, each transfer at the rate of its arrival, and flagged. Of another coin
 * alone it is one that was never paid.
 * @returns false where it is a deposit's by now
 */
export async function makeUnrequested(tx: Tx, services: Services, address: string): Promise<boolean> {
  const held = await tx
    .selectFrom('app.payment_addresses')
    .selectAll()
    .where('address', '=', address)
    .where('deposit_id', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  const first = held && (await firstAt(tx, held))
  if (!first) return false
  const reader = { ...services, db: tx }
  const asked = first.ignored_reason === null ? await askedBy(reader, first) : await otherCoin(reader, first)
  if (asked === undefined) return false
  const id = await writeDeposit(tx, services, { held, first, asked })
  await audit(tx, byItself(services), { action: 'deposit.unsolicited', subject: { kind: 'deposit', id } })
  await refreshSeen(tx, [id])
  return true
}

/** What counts comes before what does not. */
function firstAt(tx: Tx, { method, address }: Address): Promise<Transfer | undefined> {
  return tx
    .selectFrom('app.chain_transfers')
    .selectAll()
    .where('method', '=', method)
    .where('address', '=', addressKey(address))
    .where('block_height', 'is not', null)
    .where(({ eb, or }) => or([eb('ignored_reason', 'is', null), eb('ignored_reason', '=', 'wrong_asset')]))
    .orderBy('ignored_reason', order => order.asc().nullsFirst())
    .orderBy('seen_at')
    .orderBy('id')
    .executeTakeFirst()
}

/** What the deposit says that was asked for: what came. */
type Asked = {
  units: bigint
  amountCents: bigint
  rate: Pick<Rate, 'usdE8' | 'source' | 'at'>
  arrivedAt: Date
  /** Whether the rate is that of its arrival: else it says about what it is worth, and nothing is credited by it. */
  isOfArrival: boolean
  status: 'pending' | 'unpaid'
}

type Reading = Pick<Services, 'config' | 'clock'> & { db: Tx }

async function askedBy(reader: Reading, first: Transfer): Promise<Asked | undefined> {
  const { method, units } = first
  const arrivedAt = arrivalOf(first)
  const ofArrival = method === 'usdt' ? undefined : await rateAt(reader, method, arrivedAt)
  const rate = ofArrival ?? (await lastKnownRate(reader, method, reader.clock.now()))
  if (rate === undefined) return undefined
  const worthCents = worthInCents(coinOf(method), units, rate.usdE8)
  const amountCents = amountOf(worthCents)
  // What no amount can be is asked for by nobody: it waits for somebody to look.
  const unitsAsked = worthCents > amountCents ? worthInUnits(coinOf(method), amountCents, rate.usdE8) : units
  const isOfArrival = ofArrival !== undefined || method === 'usdt'
  return { units: unitsAsked, amountCents, rate, arrivedAt, isOfArrival, status: 'pending' }
}

/** What a token is worth, in dollars one to one, and so much of the coin that its address is for. */
async function otherCoin(reader: Reading, first: Transfer): Promise<Asked | undefined> {
  const { method, token, units } = first
  const rate = await lastKnownRate(reader, method, reader.clock.now())
  if (rate === undefined) return undefined
  const amountCents = amountOf(worthInCents(token === 'USDC' ? 'USDT' : token, units, rate.usdE8))
  const unitsAsked = worthInUnits(coinOf(method), amountCents, rate.usdE8)
  const arrivedAt = arrivalOf(first)
  return { units: unitsAsked, amountCents, rate, arrivedAt, isOfArrival: false, status: 'unpaid' }
}

/** Nobody waits for it, so that it comes with its block, as what comes after a monitoring period does. */
function arrivalOf({ seen_at, block_time }: Transfer): Date {
  return block_time !== null && block_time > seen_at ? block_time : seen_at
}

function coinOf(method: DepositMethod): CoinAsset {
  return paymentMethods[method].asset as CoinAsset
}

/** From a cent to the most that an amount can be. */
function amountOf(cents: bigint): bigint {
  if (cents > maxUsdCents) return maxUsdCents
  return cents > 0n ? cents : 1n
}

async function writeDeposit(
  tx: Tx,
  { config, clock }: Services,
  of: { held: Address; first: Transfer; asked: Asked },
): Promise<string> {
  const { held, first, asked } = of
  const { units, rate, arrivedAt, isOfArrival, status } = asked
  const now = clock.now()
  const rail = railOf(config, held.method)
  const { productName } = await currentFirm(tx, config)
  const id = newId(now)
  // It had no window: what comes afterwards counts at the rate of its own arrival, and so does the first where that is not known.
  const expiresAt = isOfArrival ? arrivedAt : new Date(first.seen_at.getTime() - 1)
  await tx
    .insertInto('app.deposits')
    .values({
      id,
      invoice_id: sql<string>`app.next_invoice('DEP', ${now})`,
      user_id: held.user_id!,
      investment_id: null,
      amount_cents: asked.amountCents,
      method: held.method,
      status,
      asset: coinOf(held.method),
      network: rail?.network ?? paymentMethods[held.method].network,
      address: held.address,
      crypto_units: units,
      rate_e8: rate.usdE8,
      rate_at: new Date(Math.min(rate.at.getTime(), arrivedAt.getTime())),
      rate_source: rate.source,
      payment_uri: rail?.paymentUri({ address: held.address, units, label: productName }) ?? held.address,
      expires_at: expiresAt,
      watch_until: first.seen_at,
      created_at: now,
      flags: ['unsolicited'],
    })
    .execute()
  await tx
    .updateTable('app.payment_addresses')
    .set({ deposit_id: id })
    .where('address', '=', held.address)
    .executeTakeFirstOrThrow()
  return id
}
