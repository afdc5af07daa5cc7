import { audit } from '#server/audit/log.ts'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import { requireNoDebt } from '#server/deposits/debt.ts'
import { formatRate } from '#server/prices/reading.ts'
import { type PayoutWallet, payoutRails, payoutWallets } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { PayoutDetail, previewPayout, readyForPayout } from '#shared/contract/payouts.ts'
import { AppError } from '#shared/errors.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { notOpen, refusalsOf } from './batch.ts'
import { type PayoutPlan, type PayoutRequest, previewBatch } from './create.ts'
import { exportRefusal } from './double-payment-guards.ts'
import { unavailability } from './files.ts'
import { payoutRefusals } from './messages.ts'
import { unpayableOf } from './payable.ts'
import { longestWaiting, payoutDetail, readyWithdrawals } from './queries.ts'

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
 * Withdrawals that a batch of a coin can pay. Without a coin, that of the withdrawal that has waited longest, preferring coins with
 * batches.
 */
export async function readyFor(
  { services: { db, config, clock } }: SignedInContext,
  asked: PayoutWallet | undefined,
): Promise<CallData<typeof readyForPayout>> {
  const available = payoutWallets.filter(one => unavailability(config, one) === null)
  const waiting = async () =>
    (await longestWaiting(db, available)) ?? (await longestWaiting(db, payoutWallets))
  const wallet = asked ?? (await waiting()) ?? available[0] ?? payoutWallets[0]
  const rows = await readyWithdrawals(db, wallet, maximumPageLimit + 1)
  const decimals = assetDecimals[payoutRails[wallet].asset]
  const shown = rows.slice(0, maximumPageLimit)
  const unavailable = unavailability(config, wallet)
  const unpayable = await unpayableOf({ db, config }, wallet, clock.now())
  return {
    wallet,
    unavailable: unavailable && payoutRefusals.words(unavailable),
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

/** @throws AppError as `previewBatch` */
export async function previewOf(
  ctx: SignedInContext,
  asked: PayoutRequest,
): Promise<CallData<typeof previewPayout>> {
  const plan = await previewBatch(ctx, asked)
  const { fee, change, sender, inputs } = plan.funded
  const decimals = assetDecimals[payoutRails[asked.wallet].asset]
  return {
    count: plan.chosen.length,
    amount: usdToJson(plan.amountCents),
    amountCrypto: formatDecimal(plan.units, decimals),
    fixedNow: rateLockOf(plan),
    fee: fee && { rate: fee.rate, amountCrypto: formatDecimal(fee.units, decimals) },
    change: change && { address: change.address, amountCrypto: formatDecimal(change.units, decimals) },
    sender,
    inputs: inputs.length,
    highFee: plan.highFee,
  }
}

function rateLockOf({ chosen }: PayoutPlan): CallData<typeof previewPayout>['fixedNow'] {
  const locked = chosen.flatMap(({ locked }) => locked ?? [])
  const [first] = locked
  if (!first) return null
  return {
    count: locked.length,
    rate: formatRate(first.payout_rate_e8),
    rateAt: first.payout_rate_at.toISOString(),
    rateSource: first.payout_rate_source,
  }
}

/**
 * A batch's file, for its assignee alone; the audit log keeps each download.
 * @throws AppError not_found, not_open, not_assignee, debt_open, and what `exportRefusal` answers
 */
export async function exportFile(tx: Tx, ctx: SignedInContext, id: string): Promise<FileAnswer> {
  const row = await tx
    .selectFrom('app.payout_batches as b')
    .innerJoin('app.users as u', 'u.id', 'b.assignee_id')
    .select(['b.status', 'b.assignee_id', 'b.file', 'b.file_name', 'b.file_type', 'b.file_sha256', 'u.name'])
    .select(['b.id', 'b.method', 'b.network', 'b.sender', 'b.exported_at', 'b.seen_at', 'b.expires_at'])
    .where('b.id', '=', id)
    .forUpdate('b')
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such payout batch')
  const refusal =
    notOpen(row, 'downloaded') ??
    (row.assignee_id === ctx.caller.userId
      ? await exportRefusal(tx, ctx, row)
      : { reason: 'not_assignee' as const, name: row.name })
  if (refusal) throw payoutRefusals.error(refusal)
  await requireNoPayeeInDebt(tx, id)
  await tx
    .updateTable('app.payout_batches')
    .set({ exported_at: row.exported_at ?? ctx.services.clock.now() })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const details = { file: row.file_name, sha256: row.file_sha256.toString('hex') }
  await audit(tx, ctx, { action: 'payout.exported', subject: { kind: 'payout', id }, details })
  return { name: row.file_name, content: row.file, type: row.file_type }
}

async function requireNoPayeeInDebt(tx: Tx, id: string): Promise<void> {
  const payees = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.invoice_id', 'w.user_id'])
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .orderBy('p.position')
    .execute()
  for (const { user_id, invoice_id } of payees) {
    const nextStep = `Cancel this batch, decline ${invoice_id}, and pay the other withdrawals in a new one.`
    await requireNoDebt(tx, user_id, nextStep)
  }
}
