import type { Kysely } from 'kysely'
import { isSynced } from '#server/chain/synced.ts'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type TronPayout, tronPayoutFile } from '#server/rails/tron/payouts.ts'
import { readSigned } from '#server/rails/tron/signed.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import { tronSigningHours } from '#shared/limits.ts'
import type { Drafts, Funded } from './draft.ts'
import { jsonFile } from './json-file.ts'
import { payoutRefusals } from './messages.ts'
import { newestSolidBlock } from './slots.ts'
import { senderOf } from './wallets.ts'

const notOnTron = () => new TypeError('TRON takes a transaction until it expires: nothing replaces it')

/**
 * Payouts on TRON. The file fixes every transaction but for its signature, so its id is known, and it expires: its slot is
 * the transaction itself.
 */
export const tronDrafts: Drafts = {
  async fund(db, config, wallet, { payouts, ...batch }) {
    const from = senderOf(config, wallet)!
    const payments = payouts.map(payout => ({ ...payout, from, token: 'USDT' as const }))
    return fundedOnTron(db, config, { ...batch, payoutAddress: from }, payments)
  },

  higherFee: () => Promise.reject(notOnTron()),
  cancellation: () => Promise.reject(notOnTron()),

  async readSigned(_config, _batch, drafts, text) {
    const plans = drafts.map(({ plan, sender }) => ({ raw: plan, sender: sender! }))
    const signed = await readSigned(plans, text)
    return signed.map(({ plan, transactionId, raw }) => ({
      kind: 'complete',
      draft: drafts[plan]!,
      transactionId,
      raw,
    }))
  },
}

type Batch = { id: string; number: string; createdAt: Date; payoutAddress: string }

/**
 * The file of these transactions, and its drafts.
 * @throws AppError not_synced
 */
export async function fundedOnTron(
  db: Kysely<Schema>,
  config: Config,
  { id, number, createdAt, payoutAddress }: Batch,
  payouts: readonly TronPayout[],
): Promise<Funded> {
  const block = await newestSolidBlock(db)
  if (!block || !(await isSynced(db, 'usdt', { now: createdAt }))) {
    throw payoutRefusals.error({ reason: 'not_synced', network: 'TRON', unknown: 'block' })
  }
  const { name: network, contract } = tronNetwork({ testNetwork: config.mode === 'demo' })
  const expiresAt = new Date(createdAt.getTime() + tronSigningHours * 3_600_000)
  const content = tronPayoutFile({ id, createdAt, expiresAt, block, network, contract, payouts })
  return {
    file: jsonFile(number, content),
    sender: payoutAddress,
    drafts: content.transfers.map(({ from, transaction }, payment) => ({
      payment,
      sender: from,
      slots: [{ slot: transaction.txID, units: null }],
      plan: Buffer.from(transaction.raw_data_hex, 'hex'),
      plannedId: transaction.txID,
      expiresAt,
    })),
    fee: { rate: null, units: null },
    change: null,
  }
}
