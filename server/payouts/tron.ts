import { isSynced } from '#server/chain/synced.ts'
import { tronPayoutFile } from '#server/rails/tron/payouts.ts'
import { readSigned } from '#server/rails/tron/signed.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import { tronSigningHours } from '#shared/limits.ts'
import type { Drafts } from './draft.ts'
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
  async fund(db, config, wallet, { id, number, createdAt, payouts }) {
    const block = await newestSolidBlock(db)
    if (!block || !(await isSynced(db, 'usdt', { now: createdAt }))) {
      throw payoutRefusals.error({
        reason: 'not_synced',
        network: 'TRON',
        effect: 'its newest block is unknown',
      })
    }
    const sender = senderOf(config, wallet)!
    const { name: network, contract } = tronNetwork({ testNetwork: config.mode === 'demo' })
    const expiresAt = new Date(createdAt.getTime() + tronSigningHours * 3_600_000)
    const batch = { id, createdAt, expiresAt, block, network, from: sender, contract, payouts }
    const content = tronPayoutFile(batch)
    return {
      file: jsonFile(number, content),
      sender,
      drafts: content.transfers.map(({ transaction }, payment) => ({
        payment,
        slots: [{ slot: transaction.txID, units: null }],
        plan: Buffer.from(transaction.raw_data_hex, 'hex'),
        plannedId: transaction.txID,
        expiresAt,
      })),
      fee: { rate: null, units: null },
      change: null,
    }
  },

  higherFee: () => Promise.reject(notOnTron()),
  cancellation: () => Promise.reject(notOnTron()),

  async readSigned(_config, { sender }, drafts, text) {
    const plans = drafts.map(({ plan }) => plan)
    const signed = await readSigned(plans, sender!, text)
    return signed.map(({ plan, transactionId, raw }) => ({
      kind: 'complete',
      draft: drafts[plan]!,
      transactionId,
      raw,
    }))
  },
}
