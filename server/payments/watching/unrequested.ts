import { type Selectable, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { quotableRate, type Rate, rateAt } from '#server/prices/rates.ts'
import { worthInCents } from '#server/rails/rail.ts'
import { railOf } from '#server/rails/rails.ts'
import { audit } from '#server/records/audit.ts'
import { addressKey } from '#shared/addresses.ts'
import { type DepositMethod, paymentMethods } from '#shared/coins.ts'
import { refreshSeen } from './seen.ts'

type Address = Selectable<Schema['app.payment_addresses']>
type Transfer = Selectable<Schema['app.chain_transfers']>

/** Payments to an address that was shown and that no deposit has taken: their owner never confirmed the request. */

/** Addresses that something has come to, and counts by now. */
export async function dueUnrequested(
  { db }: Pick<Services, 'db'>,
  method: DepositMethod,
  { after, most }: { after: string | undefined; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT a.address
      FROM app.chain_cursors c
      JOIN app.chain_transfers t ON t.method = c.method AND t.block_height <= c.height - c.confirmations + 1
      JOIN app.payment_addresses a ON app.address_key(a.address) = t.address AND a.method = c.method
      JOIN app.users u ON u.id = a.user_id AND u.frozen_at IS NULL
     WHERE c.method = ${method} AND t.credited_by IS NULL AND t.set_aside IS NULL AND t.by_hand_units < t.units
       AND a.deposit_id IS NULL AND (${after ?? null}::text IS NULL OR a.address > ${after ?? null}::text)
     GROUP BY a.address
     ORDER BY a.address
     LIMIT ${most}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * A deposit of what came first, at the rate of its arrival; it is credited like any other then, and flagged.
 * @returns false where it is a deposit's by now, or no rate of its arrival is on record
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
  const rate = await rateOf({ ...services, db: tx }, first)
  const { asset } = paymentMethods[held.method]
  const amountCents = rate ? worthInCents(asset as never, first.units, rate.usdE8) : 0n
  if (!rate || amountCents === 0n) return false
  const now = services.clock.now()
  const id = await writeDeposit(tx, services, { held, first, rate, amountCents, now })
  const by = { services, caller: null, ip: null, requestId: null }
  await audit(tx, by, { action: 'deposit.unrequested', subject: { kind: 'deposit', id } })
  await refreshSeen(tx, [id])
  return true
}

function firstAt(tx: Tx, { method, address }: Address): Promise<Transfer | undefined> {
  return tx
    .selectFrom('app.chain_transfers')
    .selectAll()
    .where('method', '=', method)
    .where('address', '=', addressKey(address))
    .where('block_height', 'is not', null)
    .where('set_aside', 'is', null)
    .orderBy('seen_at')
    .orderBy('id')
    .executeTakeFirst()
}

async function rateOf(
  services: Pick<Services, 'config' | 'clock'> & { db: Tx },
  { method, seen_at }: Transfer,
): Promise<Rate | undefined> {
  return method === 'usdt'
    ? quotableRate(services, method, services.clock.now())
    : rateAt(services, method, seen_at)
}

async function writeDeposit(
  tx: Tx,
  { config }: Services,
  of: { held: Address; first: Transfer; rate: Rate; amountCents: bigint; now: Date },
): Promise<string> {
  const { held, first, rate, amountCents, now } = of
  const rail = railOf(config, held.method)
  const id = newId(now)
  const { asset, network } = paymentMethods[held.method]
  await tx
    .insertInto('app.deposits')
    .values({
      id,
      invoice_id: sql<string>`app.next_invoice('DEP', ${now})`,
      user_id: held.user_id!,
      investment_id: null,
      amount_cents: amountCents,
      method: held.method,
      asset: asset as 'BTC' | 'USDT' | 'ETH',
      network: rail?.network ?? network,
      address: held.address,
      crypto_units: first.units,
      rate_e8: rate.usdE8,
      rate_at: new Date(Math.min(rate.at.getTime(), first.seen_at.getTime())),
      rate_source: rate.source,
      payment_uri:
        rail?.paymentUri({ address: held.address, units: first.units, label: 'Probity' }) ?? held.address,
      // It had no window: what comes afterwards counts at the rate of its own arrival.
      expires_at: first.seen_at,
      watch_until: first.seen_at,
      created_at: now,
      flags: ['unrequested'],
    })
    .execute()
  await tx
    .updateTable('app.payment_addresses')
    .set({ deposit_id: id })
    .where('address', '=', held.address)
    .executeTakeFirstOrThrow()
  return id
}
