import { type Kysely, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import { Outdated } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import type { Unspent } from '#server/rails/bitcoin/outputs.ts'
import {
  buildCancellation,
  buildPayout,
  buildReplacement,
  type Payout as Psbt,
  paymentRefusal,
  type ReplacementRequest,
} from '#server/rails/bitcoin/psbt.ts'
import { readSigned } from '#server/rails/bitcoin/signed.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import type { Drafts, Funded, NextFile } from './draft.ts'
import { type PayeeGuard, payoutRefusals } from './messages.ts'
import { isDead, isTaken } from './slots.ts'

/** Payouts on Bitcoin: one transaction pays all withdrawals of a batch, and its slots are the outputs that it spends. */
export const bitcoinDrafts: Drafts = {
  async fund(db, config, _wallet, { number, payouts, feeRate: asked }) {
    const account = accountOf(config)
    const feeRate = requireFeeRate(asked)
    const request = {
      account,
      unspent: await spendable(db, account.name),
      payments: payouts.map(({ to, units }) => ({ address: to, satoshi: units })),
      changeIndex: await freeChangeIndex(db, account.name),
      feeRate,
    }
    // A first pass chooses the inputs, so that only their raw transactions are read.
    const previous = await rawTransactions(db, buildPayout(request).inputs)
    return fundedBy(number, buildPayout({ ...request, previous }))
  },

  higherFee: (db, config, next) => replacement(db, config, next, buildReplacement),

  cancellation: (db, config, next) => replacement(db, config, next, buildCancellation),

  async readSigned({ rails }, _batch, drafts, text) {
    const plans = drafts.map(({ plan }) => plan)
    const collected = drafts.map(draft => draft.collected)
    const { plan, ...signed } = readSigned(plans, collected, text, bitcoinNetworks[rails.bitcoin.network])
    return [{ draft: drafts[plan]!, ...signed }]
  },
}

function requireFeeRate(feeRate: number | undefined): number {
  if (feeRate !== undefined) return feeRate
  const message = t('Enter the fee rate in satoshi per virtual byte')
  throw new AppError('invalid_input', message, { fields: { feeRate: message } })
}

/** A transaction that spends all that the earlier ones of a batch spend, so that the network takes one of them. */
async function replacement(
  db: Kysely<Schema>,
  config: Config,
  { batch, version, feeRate: asked }: NextFile,
  build: (request: ReplacementRequest) => Psbt,
): Promise<Funded> {
  if (await isMined(db, batch.id)) throw payoutRefusals.error({ reason: 'already_mined' })
  const account = accountOf(config)
  const feeRate = requireFeeRate(asked)
  const request = {
    account,
    unspent: await spendable(db, account.name),
    plans: await plansOf(db, batch.id),
    changeIndex: await freeChangeIndex(db, account.name),
    feeRate,
  }
  const previous = await rawTransactions(db, build(request).inputs)
  return fundedBy(`${batch.number}-${version}`, build({ ...request, previous }))
}

/** The transactions of a batch that can still be mined, the payment first. */
async function plansOf(db: Kysely<Schema>, id: string): Promise<[Uint8Array, ...Uint8Array[]]> {
  const { rows } = await sql<{ plan: Buffer }>`
    SELECT o.plan FROM app.payout_drafts o JOIN app.payout_batches b ON b.id = o.batch_id
     WHERE o.batch_id = ${id} AND NOT ${isDead} ORDER BY o.version`.execute(db)
  return rows.map(({ plan }) => new Uint8Array(plan)) as [Uint8Array, ...Uint8Array[]]
}

function fundedBy(name: string, { psbt, transactionId, inputs, feeSatoshi, vsize, change }: Psbt): Funded {
  const content = Buffer.from(psbt, 'base64')
  return {
    file: { name: `${name}.psbt`, type: 'application/octet-stream', content },
    sender: null,
    drafts: [
      {
        payment: 0,
        sender: null,
        slots: inputs.map(({ outpoint, satoshi }) => ({ slot: outpoint, units: satoshi })),
        plan: content,
        plannedId: transactionId,
        expiresAt: null,
      },
    ],
    // More than was asked if it replaces another one, or if the change was not worth an output.
    fee: { rate: Number(feeSatoshi / BigInt(vsize)), units: feeSatoshi },
    change: change && { address: change.address, units: change.satoshi, index: change.addressIndex },
  }
}

async function isMined(db: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('app.payout_slots as k')
    .innerJoin('app.chain_spends as s', 's.slot', 'k.slot')
    .select('s.slot')
    .where('k.batch_id', '=', id)
    .where('k.version', '=', 1)
    .where('s.rail', '=', 'bitcoin')
    .where('s.block_height', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
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

/**
 * Confirmed outputs of the account that no transaction spends and no payment holds, the largest first, because fewer inputs
 * make a lower fee.
 */
async function spendable(db: Kysely<Schema>, account: string): Promise<Unspent[]> {
  const { rows } = await sql<Unspent>`
    SELECT t.transaction_id AS "transactionId", t.position, t.units AS satoshi, a.branch, a.address_index AS "addressIndex"
      FROM app.chain_transfers t
      JOIN app.chain_cursors c ON c.rail = t.rail
      JOIN app.payment_addresses a ON a.rail = t.rail AND app.address_key(a.address) = t.address
     WHERE t.rail = 'bitcoin' AND a.account = ${account} AND t.own AND t.spent_height IS NULL AND t.dropped_at IS NULL
       AND t.block_height <= c.synced_height - c.confirmations + 1
       AND NOT EXISTS (SELECT FROM app.payout_slots k WHERE k.slot = t.transaction_id || ':' || t.position AND ${isTaken})
       AND NOT EXISTS (SELECT FROM app.chain_spends s
                        WHERE s.rail = 'bitcoin' AND s.slot = t.transaction_id || ':' || t.position AND s.dropped_at IS NULL)
     ORDER BY t.units DESC, t.id
     LIMIT ${MOST_OUTPUTS}`.execute(db)
  return rows
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
      rail: 'bitcoin',
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
