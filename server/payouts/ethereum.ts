import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
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
import { addressKey } from '#shared/addresses.ts'
import type { BatchRow } from './batch.ts'
import { derivationPaths } from './derivation-paths.ts'
import type { Drafts, Funded, NextFile } from './draft.ts'
import { requireFees } from './fee-estimates.ts'
import { jsonFile } from './json-file.ts'
import { payoutRefusals } from './messages.ts'
import { freeNonces } from './nonces.ts'
import { fundBySafe, rejectBySafe, safeVersionOf } from './safe.ts'
import { inGwei, moveReference, withRoom } from './sweep-rules.ts'
import { senderOf, tokenContracts } from './wallets.ts'

/**
 * Payouts on Ethereum: each withdrawal is a transaction, whose slot is the sender's nonce. A Safe pays them all at once
 * (safe.ts).
 */
export const ethereumDrafts: Drafts = {
  async fund(db, config, wallet, batch) {
    const { id, number, createdAt, payouts } = batch
    const from = senderOf(config, wallet)!
    const version = await safeVersionOf(db, from)
    if (version !== null) return fundBySafe(db, config, wallet, { ...batch, version })
    const nonces = await freeNonces(db, from, payouts.length, createdAt)
    const fees = await requireFees(db, 'ethereum', createdAt)
    const payer = { from, chainId: config.rails.ethereum.chainId, contracts: tokenContracts(config) }
    const token = wallet === 'USDT ERC-20' ? 'USDT' : 'ETH'
    const entries = payouts.map(({ reference, to, units }, payment) => {
      const plan = planPayment({ to, units, token, nonce: nonces[payment]! }, payer, fees)
      return { payment, reference, plan }
    })
    return fundedBy(config, { id, createdAt, name: number, sender: from }, entries)
  },

  higherFee: (db, config, next) => nextFile(db, config, next, outbid),

  cancellation: (db, config, next) =>
    next.batch.by_safe
      ? rejectBySafe(db, config, next)
      : // An address that holds no ether can pay for its cancellation only once it has been topped up.
        nextFile(db, config, next, (of, fees, open) =>
          of.kind === 'top_up' && open.some(({ kind }) => kind === 'sweep')
            ? outbid(of, fees)
            : cancellation(of.plans, fees),
        ),

  async readSigned(config, { by_safe }, drafts, text) {
    if (by_safe) throw payoutRefusals.error({ reason: 'signed_in_safe' }, 'signed')
    const plans = drafts.map(({ plan, sender }) => storedPlan(plan, sender!))
    const signed = await readSigned(plans, text, tokenContracts(config))
    return signed.map(({ plan, transactionId, raw }) => ({
      kind: 'complete',
      draft: drafts[plan]!,
      transactionId,
      raw,
    }))
  },
}

/**
 * The same payment with a higher fee. A sweep pays it from what its first file left at the address.
 * @throws AppError fee_room_used
 */
function outbid({ kind, plans }: OpenPlans, fees: FeeEstimate): EthereumPlan {
  if (kind !== 'sweep') return replacement(plans, fees)
  const price = withRoom(plans[0].maxFeePerGas)
  const affordable = { price: least(fees.price, price), tip: fees.tip && least(fees.tip, price) }
  const plan = replacement(plans, affordable)
  if (plan.maxFeePerGas > price)
    throw payoutRefusals.error({ reason: 'fee_room_used', address: plans[0].from })
  return plan
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

export type Entry = {
  payment: number
  reference: string
  plan: EthereumPlan
  derivationPath?: string | undefined
}

/** The file of these transactions, and its drafts. */
export function fundedBy(
  config: Config,
  { id, createdAt, name, sender }: { id: string; createdAt: Date; name: string; sender: string },
  entries: readonly Entry[],
): Funded {
  const contracts = tokenContracts(config)
  return {
    file: jsonFile(name, ethereumPlanFile({ id, createdAt, contracts }, entries)),
    sender,
    drafts: entries.map(({ payment, plan }) => ({
      payment,
      sender: plan.from,
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
  return inGwei(entries.reduce((sum, { plan }) => sum + plan.gas * plan.maxFeePerGas, 0n))
}

/** A file whose transactions take the place of those that no block has. */
async function nextFile(
  db: Kysely<Schema>,
  config: Config,
  { batch, version, now }: NextFile,
  replace: (of: OpenPlans, fees: FeeEstimate, open: readonly OpenPlans[]) => EthereumPlan,
): Promise<Funded> {
  const fees = await requireFees(db, 'ethereum', now)
  const open = await openPlans(db, batch)
  const paths = await derivationPaths(
    db,
    config,
    'ethereum',
    open.map(({ plans: [{ from }] }) => from),
  )
  const entries = open.map(of => {
    const plan = replace(of, fees, open)
    return {
      payment: of.payment,
      reference: of.reference,
      plan,
      derivationPath: paths.get(addressKey(plan.from)),
    }
  })
  const name = `${batch.number}-${version}`
  return fundedBy(config, { id: batch.id, createdAt: now, name, sender: batch.sender! }, entries)
}

type OpenPlans = {
  payment: number
  kind: 'withdrawal' | 'sweep' | 'top_up'
  reference: string
  plans: [EthereumPlan, ...EthereumPlan[]]
}

/**
 * The plans of each payment whose nonce no block has used, the payment first, with the fees that they were signed with.
 */
async function openPlans(db: Kysely<Schema>, { id, number }: BatchRow): Promise<OpenPlans[]> {
  const rows = await db
    .selectFrom('app.payout_drafts as d')
    .innerJoin('app.payout_payments as p', join =>
      join.onRef('p.batch_id', '=', 'd.batch_id').onRef('p.position', '=', 'd.payment'),
    )
    .innerJoin('app.payout_items as i', join =>
      join.onRef('i.batch_id', '=', 'd.batch_id').onRef('i.payment', '=', 'd.payment'),
    )
    .leftJoin('app.withdrawals as w', 'w.id', 'i.withdrawal_id')
    .select(['d.payment', 'd.plan', 'd.signed', 'p.sender', 'i.kind', 'w.invoice_id'])
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
  for (const { payment, plan, signed, sender, kind, invoice_id } of rows) {
    const known = open.get(payment)
    const plans = [plan, ...(signed === null ? [] : [signed])].map(bytes => storedPlan(bytes, sender!))
    const reference = invoice_id ?? moveReference(number, payment)
    if (known) known.plans.push(...plans)
    else open.set(payment, { payment, kind, reference, plans: plans as OpenPlans['plans'] })
  }
  return [...open.values()]
}

/** @param bytes of a transaction as this module stored it */
function storedPlan(bytes: Buffer, sender: string): EthereumPlan {
  return planOf(`0x${bytes.toString('hex')}`, sender)
}
