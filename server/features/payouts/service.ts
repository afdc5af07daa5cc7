import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import { refusalsOf, requireUnderWay } from '#server/payments/payouts/batch.ts'
import { unavailability } from '#server/payments/payouts/files.ts'
import { type AskedPayout, type PayoutPlan, planPayout } from '#server/payments/payouts/make.ts'
import { requireUnsigned } from '#server/payments/payouts/once.ts'
import { unpayableOf } from '#server/payments/payouts/payable.ts'
import { formatRate } from '#server/prices/reading.ts'
import { audit } from '#server/records/audit.ts'
import { longestWaiting, payoutDetail, readyWithdrawals } from '#server/records/payouts.ts'
import { type PayoutWallet, payoutRails, payoutWallets } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { PayoutDetail, previewPayout, readyForPayout } from '#shared/contract/payouts.ts'
import { AppError } from '#shared/errors.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'

/** @throws AppError not_found */
export async function payoutOf(
  db: Parameters<typeof payoutDetail>[0],
  ctx: SignedInContext,
  id: string,
): Promise<PayoutDetail> {
  const detail = await payoutDetail(db, id)
  if (!detail) throw new AppError('not_found', 'There is no such payout batch')
  return { ...detail, refusals: await refusalsOf(db, ctx, id) }
}

/**
 * What a batch of this coin can be made of; of no coin named, of the one whose withdrawal has waited longest, one of which batches can be
 * made rather than another.
 */
export async function readyFor(
  { services: { db, config, clock } }: SignedInContext,
  asked: PayoutWallet | undefined,
): Promise<CallData<typeof readyForPayout>> {
  const payable = payoutWallets.filter(one => unavailability(config, one) === null)
  const waiting = async () => (await longestWaiting(db, payable)) ?? (await longestWaiting(db, payoutWallets))
  const wallet = asked ?? (await waiting()) ?? payable[0] ?? payoutWallets[0]
  const rows = await readyWithdrawals(db, wallet, maximumPageLimit + 1)
  const decimals = assetDecimals[payoutRails[wallet].asset]
  const shown = rows.slice(0, maximumPageLimit)
  const unpayable = await unpayableOf({ db, config }, wallet, clock.now())
  return {
    wallet,
    unavailable: unavailability(config, wallet),
    asksFeeRate: wallet === 'Bitcoin (BTC)',
    withdrawals: shown.map(row => ({
      _id: row.id,
      invoiceId: row.invoice_id,
      user: row.user_id,
      userName: row.user_name,
      amount: usdToJson(row.amount_cents),
      walletAddress: row.address,
      amountCrypto: row.payout_units === null ? null : formatDecimal(row.payout_units, decimals),
      frozen: row.frozen_at !== null,
      flagged: row.flagged,
      unpayable: unpayable(row),
      approvedAt: row.approved_at!.toISOString(),
    })),
    more: rows.length > maximumPageLimit,
  }
}

/** @throws AppError as `planPayout` */
export async function previewOf(
  ctx: SignedInContext,
  asked: AskedPayout,
): Promise<CallData<typeof previewPayout>> {
  const plan = await planPayout(ctx, asked)
  const { fee, change, sender, inputs } = plan.funded
  const decimals = assetDecimals[payoutRails[asked.wallet].asset]
  return {
    count: plan.chosen.length,
    amount: usdToJson(plan.amountCents),
    amountCrypto: formatDecimal(plan.units, decimals),
    fixedNow: fixedIn(plan),
    fee: fee && { rate: fee.rate, amountCrypto: formatDecimal(fee.units, decimals) },
    change: change && { address: change.address, amountCrypto: formatDecimal(change.units, decimals) },
    sender,
    inputs: inputs.length,
    highFee: plan.highFee,
  }
}

function fixedIn({ chosen }: PayoutPlan): CallData<typeof previewPayout>['fixedNow'] {
  const fixed = chosen.flatMap(({ fixed }) => fixed ?? [])
  const [first] = fixed
  if (!first) return null
  return {
    count: fixed.length,
    rate: formatRate(first.payout_rate_e8),
    rateAt: first.payout_rate_at.toISOString(),
    rateSource: first.payout_rate_source,
  }
}

/**
 * A batch's file for its holder, who alone signs and broadcasts it; each download is told in the log.
 * @throws AppError not_found; wrong_state for everybody else, once the batch has ended, and where it could be signed twice (once.ts)
 */
export async function fileOf(tx: Tx, ctx: SignedInContext, id: string): Promise<FileAnswer> {
  const row = await tx
    .selectFrom('app.payout_batches as b')
    .innerJoin('app.users as u', 'u.id', 'b.assignee_id')
    .select(['b.status', 'b.assignee_id', 'b.file', 'b.file_name', 'b.file_type', 'b.file_sha256', 'u.name'])
    .select(['b.id', 'b.method', 'b.sender', 'b.exported_at', 'b.seen_at', 'b.expires_at'])
    .where('b.id', '=', id)
    .forUpdate('b')
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such payout batch')
  requireUnderWay(row, 'downloaded')
  if (row.assignee_id !== ctx.caller.userId) {
    throw new AppError(
      'wrong_state',
      `${row.name} holds this batch: one person alone signs and broadcasts it. Take it over first, once ${row.name} will not broadcast it.`,
    )
  }
  await requireUnsigned(tx, ctx, row)
  await tx
    .updateTable('app.payout_batches')
    .set({ exported_at: row.exported_at ?? ctx.services.clock.now() })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const details = { file: row.file_name, sha256: row.file_sha256.toString('hex') }
  await audit(tx, ctx, { action: 'payout.exported', subject: { kind: 'payout', id }, details })
  return { name: row.file_name, content: row.file, type: row.file_type }
}
