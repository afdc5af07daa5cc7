import { type Kysely, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import { Outdated } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import type { Unspent } from '#server/rails/bitcoin/outputs.ts'
import { buildPayout, type Payout as Psbt, paymentRefusal } from '#server/rails/bitcoin/psbt.ts'
import { outpointOf } from '#server/rails/chain.ts'
import { AppError } from '#shared/errors.ts'
import { outstandingFiles } from './exported-files.ts'
import type { Funded, Payout } from './files.ts'
import { type PayeeGuard, payoutRefusals } from './messages.ts'

/**
 * Builds a batch's PSBT from confirmed, unspent outputs that no other batch reserves; change goes to an unused address.
 * @throws AppError invalid_input without a fee rate; wrong_state (psbtRefusals, no_shared_output)
 */
export async function fundBitcoin(
  db: Kysely<Schema>,
  config: Config,
  {
    number,
    payouts,
    ...replaced
  }: { number: string; createdAt: Date; payouts: readonly Payout[]; withdrawals: readonly string[] },
  feeRate: number | undefined,
): Promise<Funded> {
  if (feeRate === undefined) {
    const message = 'Enter the fee rate in satoshi per virtual byte'
    throw new AppError('invalid_input', message, { fields: { feeRate: message } })
  }
  const account = accountOf(config)
  const unspent = await unspentOutputs(db, account.name)
  const request = {
    account,
    unspent,
    mustSpend: await conflictingOutpoints(db, replaced, unspent),
    payments: payouts.map(({ to, units }) => ({ address: to, satoshi: units })),
    changeIndex: await freeChangeIndex(db, account.name),
    feeRate,
  }
  // A first pass chooses the inputs, so that only their raw transactions are read.
  const previous = await rawTransactions(db, buildPayout(request).inputs)
  const psbt = buildPayout({ ...request, previous })
  return {
    file: {
      name: `${number}.psbt`,
      type: 'application/octet-stream',
      content: Buffer.from(psbt.psbt, 'base64'),
    },
    sender: null,
    inputs: psbt.inputs.map(({ outpoint, satoshi }) => ({ outpoint, units: satoshi })),
    fee: { rate: feeRate, units: psbt.feeSatoshi },
    change: psbt.change && {
      address: psbt.change.address,
      units: psbt.change.satoshi,
      index: psbt.change.addressIndex,
    },
    nonces: null,
    expiresAt: null,
  }
}

/** The guard of Bitcoin's payees. */
export function bitcoinPayeeRefusal(config: Config): PayeeGuard {
  const account = accountOf(config)
  return (address, satoshi) => paymentRefusal({ address, satoshi }, account)
}

function accountOf({ rails: { bitcoin } }: Pick<Config, 'rails'>) {
  if (bitcoin.xpub === null) throw new TypeError('no extended public key of Bitcoin is configured')
  return bitcoinAccount(bitcoin.xpub, bitcoinNetworks[bitcoin.network])
}

/** The transactions that funded the inputs, by id. */
async function rawTransactions(db: Kysely<Schema>, inputs: Psbt['inputs']): Promise<Map<string, Uint8Array>> {
  const rows = await db
    .selectFrom('app.bitcoin_transactions')
    .select(['transaction_id', 'raw'])
    .where(
      'transaction_id',
      'in',
      inputs.map(({ outpoint }) => outpoint.split(':')[0]!),
    )
    .execute()
  return new Map(rows.map(({ transaction_id, raw }) => [transaction_id, new Uint8Array(raw)]))
}

/** Candidate outputs at most: far more than one transaction takes. */
const MOST_OUTPUTS = 1000

/** Spendable outputs: first those of cancelled batches, then the largest, because fewer inputs make a lower fee. */
async function unspentOutputs(db: Kysely<Schema>, account: string): Promise<Unspent[]> {
  const { rows } = await sql<Unspent>`
    SELECT t.transaction_id AS "transactionId", t.position, t.units AS satoshi, a.branch, a.address_index AS "addressIndex"
      FROM app.chain_transfers t
      JOIN app.chain_cursors c ON c.method = t.method
      JOIN app.payment_addresses a ON a.method = t.method AND app.address_key(a.address) = t.address
     WHERE t.method = 'bitcoin' AND a.account = ${account} AND t.spent_by IS NULL AND t.dropped_at IS NULL
       AND t.block_height <= c.synced_height - c.confirmations + 1
       AND NOT EXISTS (SELECT FROM app.payout_inputs i
                        WHERE i.outpoint = t.transaction_id || ':' || t.position AND i.reserved)
     ORDER BY EXISTS (SELECT FROM app.payout_inputs i WHERE i.outpoint = t.transaction_id || ':' || t.position) DESC,
              t.units DESC, t.id
     LIMIT ${MOST_OUTPUTS}`.execute(db)
  return rows
}

/**
 * Outpoints that the new transaction must spend, so that it conflicts with every outstanding file of the same withdrawals and only one
 * of them can confirm.
 * @throws AppError no_shared_output
 */
async function conflictingOutpoints(
  db: Kysely<Schema>,
  { withdrawals, createdAt }: { withdrawals: readonly string[]; createdAt: Date },
  unspent: readonly Unspent[],
): Promise<string[]> {
  const names = unspent.map(({ transactionId, position }) => outpointOf(transactionId, position))
  const chosen = new Set<string>()
  for (const { batch_id, number } of await outstandingFiles(db, withdrawals, createdAt)) {
    const inputs = await db
      .selectFrom('app.payout_inputs')
      .select('outpoint')
      .where('batch_id', '=', batch_id)
      .execute()
    const shared = inputs.map(({ outpoint }) => outpoint).filter(outpoint => names.includes(outpoint))
    if (shared.some(outpoint => chosen.has(outpoint))) continue
    const [first] = names.filter(name => shared.includes(name))
    if (first === undefined) throw payoutRefusals.error({ reason: 'no_shared_output', number })
    chosen.add(first)
  }
  return [...chosen]
}

/** Every batch gets its own change address, so that the chain does not link batches. */
async function freeChangeIndex(db: Kysely<Schema>, account: string): Promise<number> {
  const { next } = await db
    .selectFrom('app.payment_addresses')
    .select(sql<number>`coalesce(max(address_index) + 1, 0)`.as('next'))
    .where('account', '=', account)
    .where('branch', '=', 1)
    .executeTakeFirstOrThrow()
  return next
}

/**
 * Puts the change address on the watchlist, whether or not the batch is ever broadcast.
 * @throws Outdated if the wallet has just used that address: the retry chooses another one
 */
export async function watchChange(
  tx: Kysely<Schema>,
  config: Config,
  { change }: Funded,
  now: Date,
): Promise<void> {
  if (change === null) return
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('app.payment_addresses')
    .values({
      account: accountOf(config).name,
      branch: 1,
      address_index: change.index,
      method: 'bitcoin',
      address: change.address,
      user_id: null,
      deposit_id: null,
      used_at: null,
      created_at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) throw new Outdated(`change address ${change.index} is used`)
}
