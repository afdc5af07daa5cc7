import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { type FeeEstimate, nonceSlot } from '#server/rails/chain.ts'
import {
  cancellation,
  type EthereumPlan,
  ethereumPlanFile,
  planOf,
  planPayment,
  replacement,
  unsignedOf,
} from '#server/rails/ethereum/plans.ts'
import { readSigned } from '#server/rails/ethereum/signed.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'
import type { Drafts, Funded, NextFile } from './draft.ts'
import { feesNow } from './fee-estimates.ts'
import { jsonFile } from './json-file.ts'
import { payoutRefusals } from './messages.ts'
import { freeNonces } from './nonces.ts'
import { senderOf, usdtContract } from './wallets.ts'

/** Payouts on Ethereum: each withdrawal is a transaction, whose slot is the sender's nonce. */
export const ethereumDrafts: Drafts = {
  async fund(db, config, wallet, { id, number, createdAt, payouts }) {
    const from = senderOf(config, wallet)!
    const nonces = await freeNonces(db, from, payouts.length, createdAt)
    const fees = await requireFees(db, createdAt)
    const payer = { from, chainId: config.rails.ethereum.chainId, usdtContract: usdtContract(config) }
    const token = wallet === 'USDT ERC-20' ? 'USDT' : 'ETH'
    const entries = payouts.map(({ reference, to, units }, payment) => {
      const plan = planPayment({ to, units, token, nonce: nonces[payment]! }, payer, fees)
      return { payment, reference, plan }
    })
    return fundedBy({ id, createdAt }, number, entries)
  },

  higherFee: (db, _config, next) => nextFile(db, next, replacement),

  cancellation: (db, _config, next) => nextFile(db, next, cancellation),

  async readSigned(_config, { sender }, drafts, text) {
    const plans = drafts.map(({ plan }) => storedPlan(plan, sender!))
    const signed = await readSigned(plans, text)
    return signed.map(({ plan, transactionId, raw }) => ({
      kind: 'complete',
      draft: drafts[plan]!,
      transactionId,
      raw,
    }))
  },
}

/** @throws AppError no_fee_estimate */
async function requireFees(db: Kysely<Schema>, now: Date): Promise<FeeEstimate> {
  const fees = await feesNow(db, 'ethereum', now)
  if (fees === undefined) throw payoutRefusals.error({ reason: 'no_fee_estimate', network: 'Ethereum' })
  return fees
}

type Entry = { payment: number; reference: string; plan: EthereumPlan }

function fundedBy(batch: { id: string; createdAt: Date }, name: string, entries: readonly Entry[]): Funded {
  return {
    file: jsonFile(name, ethereumPlanFile(batch, entries)),
    sender: entries[0]?.plan.from ?? null,
    drafts: entries.map(({ payment, plan }) => ({
      payment,
      slots: [{ slot: nonceSlot(plan.from, plan.nonce), units: null }],
      plan: Buffer.from(unsignedOf(plan).slice('0x'.length), 'hex'),
      plannedId: null,
      expiresAt: null,
    })),
    fee: { rate: null, units: highestFee(entries) },
    change: null,
  }
}

/** The most that transactions cost together, in gwei, rounded up. */
function highestFee(entries: readonly Entry[]): bigint {
  const wei = entries.reduce((sum, { plan }) => sum + plan.gas * plan.maxFeePerGas, 0n)
  const weiPerGwei = scaleOf(18 - assetDecimals.ETH)
  return (wei + weiPerGwei - 1n) / weiPerGwei
}

/** A file whose transactions take the place of those that no block has. */
async function nextFile(
  db: Kysely<Schema>,
  { batch, version, now }: NextFile,
  replace: (sent: readonly [EthereumPlan, ...EthereumPlan[]], fees: FeeEstimate) => EthereumPlan,
): Promise<Funded> {
  const fees = await requireFees(db, now)
  const open = await openPlans(db, batch.id, batch.sender!)
  const entries = open.map(({ plans, ...of }) => ({ ...of, plan: replace(plans, fees) }))
  return fundedBy({ id: batch.id, createdAt: now }, `${batch.number}-${version}`, entries)
}

type OpenPlans = { payment: number; reference: string; plans: [EthereumPlan, ...EthereumPlan[]] }

/**
 * The plans of each payment whose nonce no block has used, the payment first, with the fees that they were signed with.
 */
async function openPlans(db: Kysely<Schema>, id: string, sender: string): Promise<OpenPlans[]> {
  const rows = await db
    .selectFrom('app.payout_drafts as d')
    .innerJoin('app.payout_payments as p', join =>
      join.onRef('p.batch_id', '=', 'd.batch_id').onRef('p.position', '=', 'd.payment'),
    )
    .innerJoin('app.payout_items as i', join =>
      join.onRef('i.batch_id', '=', 'd.batch_id').onRef('i.payment', '=', 'd.payment'),
    )
    .innerJoin('app.withdrawals as w', 'w.id', 'i.withdrawal_id')
    .select(['d.payment', 'd.plan', 'd.signed', 'w.invoice_id'])
    .where('d.batch_id', '=', id)
    .where('p.status', 'not in', ['final', 'void'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.payout_slots as k')
            .innerJoin('app.chain_spends as s', 's.slot', 'k.slot')
            .select('s.slot')
            .whereRef('k.batch_id', '=', 'd.batch_id')
            .whereRef('k.payment', '=', 'd.payment')
            .where('s.block_height', 'is not', null),
        ),
      ),
    )
    .orderBy('d.payment')
    .orderBy('d.version')
    .execute()
  const open = new Map<number, OpenPlans>()
  for (const { payment, plan, signed, invoice_id: reference } of rows) {
    const known = open.get(payment)
    const plans = [plan, ...(signed === null ? [] : [signed])].map(bytes => storedPlan(bytes, sender))
    if (known) known.plans.push(...plans)
    else open.set(payment, { payment, reference, plans: plans as OpenPlans['plans'] })
  }
  return [...open.values()]
}

/** @param bytes of a transaction as this module stored it */
function storedPlan(bytes: Buffer, sender: string): EthereumPlan {
  return planOf(`0x${bytes.toString('hex')}`, sender)
}
