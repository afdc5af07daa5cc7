import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { tokenDecimals } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositTransfer } from '#shared/contract/entities.ts'
import { formatDecimal, usdToJson } from '#shared/money.ts'
import type { DepositRow } from './deposit-row.ts'
import { confirmationsAt } from './stage.ts'

type Credit = Selectable<Schema['app.deposit_credits']>
type Transfer = Selectable<Schema['app.chain_transfers']> & {
  [column in 'cents' | 'rate_e8' | 'rate_source' | 'late_at']: Credit[column] | null
}

/** The most transfers shown for one deposit. */
const mostTransfers = 100

/** Payments before dust, which anyone can send in any quantity. */
const paymentsFirst = sql`CASE WHEN t.ignored_reason = 'dust' THEN 2 WHEN t.ignored_reason IS NULL AND t.dropped_at IS NULL THEN 0 ELSE 1 END`

/** The transfers at a deposit's own address: payments first, dust last, each in order of arrival; and how many more there are. */
export async function transfersOf(
  db: Kysely<Schema>,
  row: DepositRow,
): Promise<{ transfers: DepositTransfer[]; moreTransfers: number }> {
  const transfers = await db
    .selectFrom('app.payment_addresses as a')
    .innerJoin('app.chain_transfers as t', 't.rail', 'a.rail')
    .leftJoin('app.deposit_credits as c', join =>
      join.onRef('c.transfer_id', '=', 't.id').on('c.reversed_by', 'is', null),
    )
    .selectAll('t')
    .select(['c.cents', 'c.rate_e8', 'c.rate_source', 'c.late_at'])
    .select(sql<bigint>`count(*) OVER ()`.as('all'))
    .where('a.deposit_id', '=', row.id)
    .where('t.address', '=', addressKey(row.address))
    .orderBy(paymentsFirst)
    .orderBy('t.seen_at')
    .orderBy('t.id')
    .limit(mostTransfers)
    .execute()
  return {
    transfers: transfers.map(transfer => present(transfer, row)),
    moreTransfers: Number(transfers[0]?.all ?? 0) - transfers.length,
  }
}

function present(transfer: Transfer, network: DepositRow): DepositTransfer {
  const { token, units, cents, rate_e8, rate_source, late_at } = transfer
  const confirmations = confirmationsAt(transfer.block_height, network)
  return {
    _id: String(transfer.id),
    transactionId: transfer.by_contract ? null : transfer.transaction_id,
    block: blockOf(transfer),
    token,
    amountCrypto: formatDecimal(units, tokenDecimals[token]),
    arrivedAt: transfer.seen_at.toISOString(),
    state: stateOf(transfer, confirmations),
    confirmations,
    credited: cents === null ? null : usdToJson(cents),
    rate: rate_e8 === null ? null : formatRate(rate_e8),
    rateSource: rate_source,
    late: late_at !== null,
  }
}

/** The block whose balances are the evidence, unless a reorg has removed it. */
function blockOf({ block_height, transaction_id, by_contract }: Transfer): DepositTransfer['block'] {
  return by_contract && block_height !== null ? { height: block_height, hash: transaction_id } : null
}

function stateOf(
  { dropped_at, ignored_reason, cents, credited_units, units }: Transfer,
  { have, needed }: { have: number; needed: number },
): DepositTransfer['state'] {
  if (dropped_at !== null) return 'dropped'
  if (ignored_reason !== null) return ignored_reason
  if (cents !== null) return 'credited'
  if (credited_units === units) return 'credited_manually'
  if (have >= needed) return 'confirmed'
  return have === 0 ? 'seen' : 'confirming'
}
