import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { coinAmount } from '#server/records/payouts.ts'
import type { listTransfers } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { usdToJson } from '#shared/money.ts'

/** Shown at most, the first ones. */
const mostTransfers = 100

/** What its network has shown at the address of a deposit, in the order in which it was seen. */
export async function transfersOf(
  db: Kysely<Schema>,
  depositId: string,
): Promise<CallData<typeof listTransfers>> {
  const rows = await db
    .selectFrom('app.payment_addresses as a')
    .innerJoin('app.chain_transfers as t', join =>
      join
        .onRef('t.method', '=', 'a.method')
        .on('t.address', '=', ({ fn, ref }) => fn<string>('app.address_key', [ref('a.address')])),
    )
    .leftJoin('app.chain_cursors as c', 'c.method', 't.method')
    .select(['t.id', 't.transaction_id', 't.token', 't.units', 't.seen_at', 't.block_height', 't.block_time'])
    .select(['t.gone_at', 't.set_aside', 't.credited_cents', 'c.tip_height', 'c.confirmations'])
    .where('a.deposit_id', '=', depositId)
    .orderBy('t.id')
    .limit(mostTransfers)
    .execute()
  return rows.map(row => ({
    _id: String(row.id),
    transactionId: row.transaction_id,
    amount: coinAmount(row.units, row.token),
    seenAt: row.seen_at.toISOString(),
    block: row.block_height === null ? null : { height: row.block_height, at: row.block_time!.toISOString() },
    confirmations:
      row.block_height === null || row.tip_height === null || row.confirmations === null
        ? null
        : { have: Math.max(0, row.tip_height - row.block_height + 1), needed: row.confirmations },
    isGone: row.gone_at !== null,
    setAside: row.set_aside,
    credited: row.credited_cents === null ? null : usdToJson(row.credited_cents),
  }))
}
