import { type Kysely, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import { Outdated } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import {
  buildPayout,
  PayoutRefusal,
  type Payout as Psbt,
  requirePayment,
  type Unspent,
} from '#server/rails/bitcoin/psbt.ts'
import { outpointOf } from '#server/rails/chain.ts'
import { AppError } from '#shared/errors.ts'
import type { Funded, Payout } from './files.ts'
import { filesOut } from './given-out.ts'

/**
 * A batch's PSBT out of what is confirmed, unspent and reserved by no other batch. What is left goes to an address of the change
 * branch that nothing has used.
 * @throws AppError invalid_input without a fee rate; wrong_state where what can be spent does not pay it, an address is another
 *   network's, or an amount too little to be relayed
 */
export async function fundBitcoin(
  db: Kysely<Schema>,
  config: Config,
  {
    number,
    payouts,
    ...excluded
  }: { number: string; createdAt: Date; payouts: readonly Payout[]; withdrawals: readonly string[] },
  feeRate: number | undefined,
): Promise<Funded> {
  if (feeRate === undefined) {
    const message = 'Enter the fee rate in satoshi for a virtual byte'
    throw new AppError('invalid_input', message, { fields: { feeRate: message } })
  }
  const account = accountOf(config)
  const unspent = await unspentOutputs(db, account.name)
  const request = {
    account,
    unspent,
    mustSpend: await conflicting(db, excluded, unspent),
    payments: payouts.map(({ to, units }) => ({ address: to, satoshi: units })),
    changeIndex: await freeChangeIndex(db, account.name),
    feeRate,
  }
  // What it spends is chosen first: their transactions alone are read then.
  const previous = await wholeTransactions(db, built(request).inputs)
  const psbt = built({ ...request, previous })
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

/**
 * Says why no batch could pay so many satoshi to an address: it is another network's, or the amount is not relayed; null where one could.
 * Satoshi are undefined where they are not fixed yet.
 */
export function bitcoinFaults(
  config: Config,
): (address: string, satoshi: bigint | undefined) => string | null {
  const account = accountOf(config)
  return (address, satoshi) => {
    try {
      requirePayment({ address, satoshi }, account)
      return null
    } catch (error) {
      if (error instanceof PayoutRefusal) return error.message
      throw error
    }
  }
}

function accountOf({ rails: { bitcoin } }: Pick<Config, 'rails'>) {
  if (bitcoin.xpub === null) throw new TypeError('no extended public key of Bitcoin is configured')
  return bitcoinAccount(bitcoin.xpub, bitcoinNetworks[bitcoin.network])
}

function built(request: Parameters<typeof buildPayout>[0]): Psbt {
  try {
    return buildPayout(request)
  } catch (error) {
    if (!(error instanceof PayoutRefusal)) throw error
    throw new AppError('wrong_state', error.message)
  }
}

/** What its inputs were paid by, as the blocks had it. */
async function wholeTransactions(
  db: Kysely<Schema>,
  inputs: Psbt['inputs'],
): Promise<Map<string, Uint8Array>> {
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

/** Outputs that are considered at most: far more than one transaction takes. */
const MOST_OUTPUTS = 1000

/** Those that a cancelled batch was to spend first, then the largest: the fewest of them pay a batch, which makes its fee the lowest. */
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
 * Outpoints by which the new transaction excludes those of cancelled batches of the same withdrawals whose files were given out: signed
 * or not, and wherever they are, only one of two transactions that spend the same outpoint is mined. None for one that is excluded already.
 * @throws AppError wrong_state where a batch shares nothing with it that can be spent
 */
async function conflicting(
  db: Kysely<Schema>,
  { withdrawals, createdAt }: { withdrawals: readonly string[]; createdAt: Date },
  unspent: readonly Unspent[],
): Promise<string[]> {
  const names = unspent.map(({ transactionId, position }) => outpointOf(transactionId, position))
  const chosen = new Set<string>()
  for (const { batch_id, number } of await filesOut(db, withdrawals, createdAt)) {
    const inputs = await db
      .selectFrom('app.payout_inputs')
      .select('outpoint')
      .where('batch_id', '=', batch_id)
      .execute()
    const shared = inputs.map(({ outpoint }) => outpoint).filter(outpoint => names.includes(outpoint))
    if (shared.some(outpoint => chosen.has(outpoint))) continue
    const [first] = names.filter(name => shared.includes(name))
    if (first === undefined) {
      throw new AppError(
        'wrong_state',
        `The file of cancelled batch ${number} can still be signed, and none of the outputs that it spends is free to be spent by this one. Wait until the transaction that spends them has all its confirmations, so that both can never be paid.`,
      )
    }
    chosen.add(first)
  }
  return [...chosen]
}

/** An address of its own for each batch: nobody learns from it what another one had left. */
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
 * The change address is watched from now on, whether the batch is sent or not.
 * @throws Outdated where the wallet was seen to use it at the same moment: the batch gets another one
 */
export async function keepChange(
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
