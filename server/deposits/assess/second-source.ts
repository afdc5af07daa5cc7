import { type Selectable, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { withoutFlag } from '#server/deposits/flags.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'

/** Milliseconds between two comparisons of a network, and transfers in one. */
const PAUSE_MS = 15_000
const MOST = 20

const comparedAt = new WeakMap<Chain, number>()

/**
 * Asks the second source for the confirmed transfers of deposits that wait for it, or for the daily limit: does it show the same transfer in
 * the same block? If it cannot be asked, they wait; staff can compare and credit them.
 */
export async function compareWithSecond(services: Services, rail: RailName, second: Chain): Promise<void> {
  const waiting = await waitingTransfers(services, rail)
  const last = comparedAt.get(second)
  if (waiting.length === 0 || (last !== undefined && performance.now() - last < PAUSE_MS)) return
  let left = 0
  for (const transfer of waiting) {
    const isShown = await isShownBy(services, second, transfer)
    if (isShown) await agree(services, transfer)
    else left += 1
  }
  if (left > 0) comparedAt.set(second, performance.now())
}

type Waiting = Selectable<Schema['app.chain_transfers']> & { deposit_id: string }

/** What a contract sent has no transaction that a source could show: it waits for staff. */
async function waitingTransfers({ db }: Pick<Services, 'db'>, rail: RailName): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    SELECT t.*, d.id AS deposit_id
      FROM app.deposits d
      JOIN app.chain_cursors c ON c.rail = app.rail_of(d.method)
      JOIN app.payment_addresses a ON a.deposit_id = d.id
      JOIN app.chain_transfers t ON t.rail = a.rail AND t.address = app.address_key(a.address)
     WHERE c.rail = ${rail} AND d.flags && ARRAY['second_source', 'daily_limit'] AND d.needs_review
       AND t.block_height <= c.synced_height - c.confirmations + 1
       AND t.agreed_hash IS DISTINCT FROM t.block_hash AND t.credited_units < t.units
       AND t.ignored_reason IS NULL AND t.dropped_at IS NULL AND NOT t.by_contract
     -- In any order: those that the second source never shows must not hold up the others.
     ORDER BY random()
     LIMIT ${MOST}`.execute(db)
  return rows
}

async function isShownBy({ log }: Pick<Services, 'log'>, second: Chain, transfer: Waiting): Promise<boolean> {
  const { rail, address, transaction_id, position, token, units, block_height, block_hash } = transfer
  const watched = { addresses: new Set([address]), outpoints: new Set<string>(), senders: new Set<string>() }
  try {
    const scanned = await second.scan({ from: block_height!, to: block_height! }, watched)
    if (scanned.blocks[0]?.hash !== block_hash) return false
    const isSame = scanned.transfers.some(
      one =>
        one.transactionId === transaction_id &&
        one.position === position &&
        one.address === address &&
        one.token === token &&
        one.units === units,
    )
    if (!isSame)
      log.error({ rail, transaction_id }, 'the second source shows no such transfer in the same block')
    return isSame
  } catch (err) {
    if (!(err instanceof ChainError)) throw err
    log.warn({ err, rail }, 'the second source could not be asked')
    return false
  }
}

/** The deposit is then assessed at once, if its other transfers do not wait. */
async function agree({ db }: Pick<Services, 'db'>, { id, block_hash, deposit_id }: Waiting): Promise<void> {
  await db.transaction().execute(async tx => {
    await tx
      .updateTable('app.chain_transfers')
      .set({ agreed_hash: block_hash })
      .where('id', '=', id)
      .where('block_hash', '=', block_hash)
      .execute()
    await tx
      .updateTable('app.deposits')
      .set({ ...withoutFlag('second_source'), assess_after: null })
      .where('id', '=', deposit_id)
      .execute()
  })
}
