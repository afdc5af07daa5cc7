import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositTransfer } from '#shared/contract/entities.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { confirmationsAt } from './deposit-stage.ts'
import type { DepositRow } from './deposits.ts'

type Transfer = Selectable<Schema['app.chain_transfers']>

/** Transfers of one deposit that are shown at most: the first. */
const mostTransfers = 100

/** What its network has shown at a deposit's own address, in the order in which it came. */
export async function transfersOf(db: Kysely<Schema>, row: DepositRow): Promise<DepositTransfer[]> {
  const transfers = await db
    .selectFrom('app.payment_addresses as a')
    .innerJoin('app.chain_transfers as t', 't.method', 'a.method')
    .selectAll('t')
    .where('a.deposit_id', '=', row.id)
    .where('t.address', '=', addressKey(row.address))
    .orderBy('t.seen_at')
    .orderBy('t.id')
    .limit(mostTransfers)
    .execute()
  return transfers.map(transfer => present(transfer, row))
}

/** USDC has the digits of USDT. */
const decimalsOf = { ...assetDecimals, USDC: assetDecimals.USDT }

function present(transfer: Transfer, network: DepositRow): DepositTransfer {
  const { token, units, credited_cents, rate_e8, rate_source } = transfer
  const confirmations = confirmationsAt(transfer.block_height, network)
  return {
    _id: String(transfer.id),
    transactionId: transfer.transaction_id,
    token,
    amountCrypto: formatDecimal(units, decimalsOf[token]),
    arrivedAt: transfer.seen_at.toISOString(),
    state: stateOf(transfer, confirmations),
    confirmations,
    credited: credited_cents === null ? null : usdToJson(credited_cents),
    rate: rate_e8 === null ? null : formatRate(rate_e8),
    rateSource: rate_source,
    late: transfer.late ?? false,
  }
}

function stateOf(
  { gone_at, set_aside, credited_by, by_hand_units, units }: Transfer,
  { have, needed }: { have: number; needed: number },
): DepositTransfer['state'] {
  if (gone_at !== null) return 'gone'
  if (set_aside !== null) return set_aside
  if (credited_by !== null) return 'credited'
  if (by_hand_units === units) return 'by_hand'
  if (have >= needed) return 'confirmed'
  return have === 0 ? 'seen' : 'confirming'
}
