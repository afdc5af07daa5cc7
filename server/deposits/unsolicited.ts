import { type Selectable, sql } from 'kysely'
import { asSystem, audit } from '#server/audit/log.ts'
import { holdCursor } from '#server/chain/cursor.ts'
import { noteTransfers } from '#server/chain/seen.ts'
import { markWrongAssets } from '#server/chain/transfers.ts'
import type { Services, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { lastKnownRate, type Rate, rateAt } from '#server/prices/rates.ts'
import { worthInCents, worthInUnits } from '#server/rails/rail.ts'
import { paymentMethodOf } from '#server/rails/rails.ts'
import { addressKey } from '#shared/addresses.ts'
import { type DepositMethod, isStablecoin, methodsOn, paymentMethods, type RailName } from '#shared/coins.ts'
import { maxUsdCents } from '#shared/money.ts'

type Address = Selectable<Schema['app.payment_addresses']>
type Transfer = Selectable<Schema['app.chain_transfers']>

/**
 * Unsolicited deposits: payments to an address that was shown in a quote which the investor never confirmed. Dust and internal transfers
 * do not count; a wrong asset does, for staff to see.
 */

/** Addresses without a deposit that have received a confirmed payment. */
export async function dueUnsolicited(
  { db }: Pick<Services, 'db'>,
  rail: RailName,
  { after, most }: { after: string | undefined; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT a.address
      FROM (
        -- Begin with the few transfers that count: most used addresses have a deposit, or only dust.
        SELECT t.address
          FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.rail = c.rail AND t.block_height <= c.synced_height - c.confirmations + 1
         WHERE c.rail = ${rail} AND t.credited_units < t.units AND t.ignored_reason IS NULL AND t.receiving
         UNION
        SELECT t.address
          FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.rail = c.rail AND t.block_height <= c.synced_height - c.confirmations + 1
         WHERE c.rail = ${rail} AND t.ignored_reason = 'wrong_asset'
      ) due
      JOIN app.payment_addresses a ON app.address_key(a.address) = due.address AND a.rail = ${rail}
      JOIN app.users u ON u.id = a.user_id AND u.frozen_at IS NULL
     WHERE a.branch = 0 AND a.deposit_id IS NULL
       AND (${after ?? null}::text IS NULL OR a.address > ${after ?? null}::text)
     ORDER BY a.address
     LIMIT ${most}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * Creates a deposit from the first transfer; each transfer is then credited at the rate of its arrival, and flagged. A wrong asset alone
 * makes an unpaid deposit.
 * @returns false if the address has a deposit by now
 */
export async function createUnsolicited(tx: Tx, services: Services, address: string): Promise<boolean> {
  const held = await lockAddress(tx, address)
  const first = held && (await firstAt(tx, held))
  if (!first) return false
  const reader = { ...services, db: tx }
  const asked =
    first.ignored_reason === null ? await requestFrom(reader, first) : await otherCoin(reader, first)
  if (asked === undefined) return false
  const id = await writeDeposit(tx, services, { held, first, asked })
  await audit(tx, asSystem(services), { action: 'deposit.unsolicited', subject: { kind: 'deposit', id } })
  await markWrongAssets(tx, id)
  await noteTransfers(tx, [id])
  return true
}

/** Locks an address without a deposit, and its network's cursor before it, as a deposit that takes the address does. */
async function lockAddress(tx: Tx, address: string): Promise<Address | undefined> {
  const open = tx
    .selectFrom('app.payment_addresses')
    .selectAll()
    .where('address', '=', address)
    .where('deposit_id', 'is', null)
  const found = await open.executeTakeFirst()
  if (found === undefined) return undefined
  await holdCursor(tx, found.rail)
  return open.forUpdate().executeTakeFirst()
}

/** The first payment; a wrong asset only if there is none. */
function firstAt(tx: Tx, { rail, address }: Address): Promise<Transfer | undefined> {
  return tx
    .selectFrom('app.chain_transfers')
    .selectAll()
    .where('rail', '=', rail)
    .where('address', '=', addressKey(address))
    .where('block_height', 'is not', null)
    .where(({ eb, or }) => or([eb('ignored_reason', 'is', null), eb('ignored_reason', '=', 'wrong_asset')]))
    .orderBy('ignored_reason', order => order.asc().nullsFirst())
    .orderBy('seen_at')
    .orderBy('id')
    .executeTakeFirst()
}

/** The request recorded in the deposit: exactly what arrived. */
type ImpliedRequest = {
  method: DepositMethod
  units: bigint
  amountCents: bigint
  rate: Pick<Rate, 'usdE8' | 'source' | 'at'>
  arrivedAt: Date
  /** False if the rate is only an estimate, which nothing is credited by. */
  isOfArrival: boolean
  status: 'pending' | 'unpaid'
}

type Reading = Pick<Services, 'config' | 'clock'> & { db: Tx }

async function requestFrom(reader: Reading, first: Transfer): Promise<ImpliedRequest | undefined> {
  const { rail, token, units } = first
  const method = methodsOn(rail).find(each => paymentMethods[each].asset === token)!
  const arrivedAt = arrivalOf(first)
  const { asset } = paymentMethods[method]
  const ofArrival = isStablecoin(asset) ? undefined : await rateAt(reader, asset, arrivedAt)
  const rate = ofArrival ?? (await lastKnownRate(reader, asset, reader.clock.now()))
  if (rate === undefined) return undefined
  const worthCents = worthInCents(asset, units, rate.usdE8)
  const amountCents = amountOf(worthCents)
  // An impossible amount is capped here and then waits for a review.
  const unitsAsked = worthCents > amountCents ? worthInUnits(asset, amountCents, rate.usdE8) : units
  const isOfArrival = ofArrival !== undefined || isStablecoin(asset)
  return { method, units: unitsAsked, amountCents, rate, arrivedAt, isOfArrival, status: 'pending' }
}

/** The token's worth, one to one in dollars, as an amount of the rail's own coin; we have no rate of TRX, so the least amount. */
async function otherCoin(reader: Reading, first: Transfer): Promise<ImpliedRequest | undefined> {
  const { rail, token, units } = first
  const method = methodsOn(rail)[0]!
  const { asset } = paymentMethods[method]
  const rate = await lastKnownRate(reader, asset, reader.clock.now())
  if (rate === undefined) return undefined
  const amountCents = amountOf(token === 'TRX' ? 0n : worthInCents(token, units, rate.usdE8))
  const unitsAsked = worthInUnits(asset, amountCents, rate.usdE8)
  const arrivedAt = arrivalOf(first)
  return { method, units: unitsAsked, amountCents, rate, arrivedAt, isOfArrival: false, status: 'unpaid' }
}

/** Like a payment after the monitoring period, it arrives with its block. */
function arrivalOf({ seen_at, block_time }: Transfer): Date {
  return block_time !== null && block_time > seen_at ? block_time : seen_at
}

/** Clamps to an amount that a deposit may have. */
function amountOf(cents: bigint): bigint {
  if (cents > maxUsdCents) return maxUsdCents
  return cents > 0n ? cents : 1n
}

async function writeDeposit(
  tx: Tx,
  { config, clock }: Services,
  of: { held: Address; first: Transfer; asked: ImpliedRequest },
): Promise<string> {
  const { held, first, asked } = of
  const { method, units, rate, arrivedAt, isOfArrival, status } = asked
  const now = clock.now()
  const offered = paymentMethodOf(config, method)
  const { productName } = await currentFirm(tx, config)
  const id = newId(now)
  // There was no payment window: every transfer counts as late, the first one too if its rate is unknown.
  const expiresAt = isOfArrival ? arrivedAt : new Date(first.seen_at.getTime() - 1)
  await tx
    .insertInto('app.deposits')
    .values({
      id,
      invoice_id: sql<string>`app.next_invoice('DEP', ${now})`,
      user_id: held.user_id!,
      investment_id: null,
      amount_cents: asked.amountCents,
      method,
      status,
      asset: paymentMethods[method].asset,
      network: offered?.rail.network ?? paymentMethods[method].network,
      address: held.address,
      crypto_units: units,
      rate_e8: rate.usdE8,
      rate_at: new Date(Math.min(rate.at.getTime(), arrivedAt.getTime())),
      rate_source: rate.source,
      payment_uri: offered?.paymentUri({ address: held.address, units, label: productName }) ?? held.address,
      expires_at: expiresAt,
      watch_until: first.seen_at,
      created_at: now,
      flags: first.by_contract ? ['unsolicited', 'by_contract'] : ['unsolicited'],
      needs_review: true,
    })
    .execute()
  await tx
    .updateTable('app.payment_addresses')
    .set({ deposit_id: id })
    .where('address', '=', held.address)
    .executeTakeFirstOrThrow()
  return id
}
