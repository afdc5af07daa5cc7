import { type Kysely, sql } from 'kysely'
import { requireUnfrozen } from '#server/accounts/frozen.ts'
import { type AuditLine, auditAll } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { openDebts, refuseDebt } from '#server/deposits/debt.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { Reader } from '#server/prices/rates.ts'
import { requireOther } from '#server/queries/status.ts'
import { listingsOf } from '#server/screening/listed.ts'
import { nameStops } from '#server/screening/name-stop.ts'
import { addressKey } from '#shared/addresses.ts'
import { type PayoutWallet, payoutRails } from '#shared/batch-coins.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { plainFeeShare } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, parseDecimal } from '#shared/money.ts'
import { watchChange } from './bitcoin.ts'
import type { Funded } from './draft.ts'
import { fund } from './drafts.ts'
import { insertFile, insertPayments, sha256 } from './files.ts'
import { type PayeeRefusal, type PayoutRefusal, payoutRefusals } from './messages.ts'
import { lockWithdrawals, type WithdrawalOnFile } from './pay.ts'
import { payeeGuard } from './payable.ts'
import { coinAmount, feeAsset } from './queries.ts'
import { currentRate, type LockedAmount, lockAmount, lockedAmountDetails } from './rate-lock.ts'
import { requireNoRestore } from './restored.ts'
import { unreviewedAlert } from './review.ts'
import { networkName, unavailability } from './wallets.ts'

/** A request for a batch. */
export type PayoutRequest = {
  wallet: PayoutWallet
  withdrawals: readonly string[]
  /** Bitcoin: satoshi per virtual byte. */
  feeRate?: number | undefined
  /** The high network fee that the caller accepts, in the coin. */
  acceptedFee?: string | undefined
}

/** @property locked the amount that is locked with the batch; null if it was locked before */
type Chosen = { withdrawal: WithdrawalOnFile; units: bigint; locked: LockedAmount | null }

/** What a batch would pay and spend. */
export type PayoutPlan = {
  chosen: Chosen[]
  units: bigint
  amountCents: bigint
  funded: Funded
  /** The fee in percent of the amount paid, if it must be accepted. */
  highFee: string | null
}

/**
 * Previews a batch. Writes and locks nothing.
 * @throws AppError as `createBatch`
 */
export function previewBatch(ctx: SignedInContext, asked: PayoutRequest): Promise<PayoutPlan> {
  const now = ctx.services.clock.now()
  return planBatch(ctx.services.db, ctx, asked, { id: newId(now), number: 'preview', now })
}

/** One file is made at a time, so that no two hold the same outputs. To be taken before a batch is locked. */
export async function lockCreation(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockKeys.payouts})`.execute(tx)
}

/**
 * Creates a batch of approved withdrawals in one coin, with its unsigned file and reservations. Locks the amounts that the approval did not.
 * @returns its id
 * @throws AppError not_found, own_request, account_frozen, wrong_state (payoutRefusals); rate_unavailable if an amount must be locked;
 *   invalid_input without the fee rate that Bitcoin needs
 */
export async function createBatch(tx: Tx, ctx: SignedInContext, asked: PayoutRequest): Promise<string> {
  await lockCreation(tx)
  await lockWithdrawals(tx, asked.withdrawals)
  const now = ctx.services.clock.now()
  const id = newId(now)
  const number = await nextNumber(tx, now)
  const plan = await planBatch(tx, ctx, asked, { id, number, now })
  const refusal = feeRefusal(plan, asked)
  if (refusal) throw payoutRefusals.error(refusal)
  for (const { withdrawal, locked } of plan.chosen) {
    if (locked === null) continue
    await tx.updateTable('app.withdrawals').set(locked).where('id', '=', withdrawal.id).execute()
  }
  await insertBatch(tx, ctx, asked, plan, { id, number, now })
  await watchChange(tx, ctx.services.config, plan.funded, now)
  await auditAll(tx, ctx, auditLines(asked, plan, { id, number }))
  return id
}

/** A line for the batch, and one for each withdrawal whose amount it locks. */
function auditLines(
  { wallet }: PayoutRequest,
  { chosen, units, funded, highFee }: PayoutPlan,
  { id, number }: { id: string; number: string },
): AuditLine[] {
  const rateLocks = chosen.flatMap(({ withdrawal, locked }): AuditLine[] => {
    if (locked === null) return []
    const subject = { kind: 'withdrawal', id: withdrawal.id }
    // The investor reads this history, so it leaves out our team's reason for the batch.
    return [
      {
        action: 'withdrawal.rate_locked',
        subject,
        reason: null,
        details: { ...lockedAmountDetails(locked), batch: number },
      },
    ]
  })
  const created: AuditLine = {
    action: 'payout.created',
    subject: { kind: 'payout', id },
    details: {
      number,
      withdrawals: chosen.map(({ withdrawal }) => withdrawal.invoice_id),
      pays: coinAmount(units, payoutRails[wallet].asset),
      ...(funded.fee.units !== null && { fee: coinAmount(funded.fee.units, feeAsset(wallet)) }),
      ...(highFee !== null && { acceptedFee: `${highFee} % of what is paid` }),
      sha256: sha256(funded.file.content).toString('hex'),
    },
  }
  return [...rateLocks, created]
}

/** The next number of a batch. */
export async function nextNumber(tx: Tx, at: Date): Promise<string> {
  const { rows } = await sql<{ number: string }>`SELECT app.next_invoice('PAY', ${at}) AS number`.execute(tx)
  return rows[0]!.number
}

async function planBatch(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  asked: PayoutRequest,
  { now, ...batch }: { id: string; number: string; now: Date },
): Promise<PayoutPlan> {
  const { config } = ctx.services
  await requireNoRestore(db, config)
  const unavailable = unavailability(config, asked.wallet)
  if (unavailable) throw payoutRefusals.error(unavailable)
  const withdrawals = await payableWithdrawals(db, ctx, asked)
  const chosen = await withAmounts({ db, config }, asked.wallet, withdrawals, now)
  const payouts = chosen.map(({ withdrawal, units }) => ({
    reference: withdrawal.invoice_id,
    to: withdrawal.address,
    units,
  }))
  const units = chosen.reduce((sum, { units }) => sum + units, 0n)
  const of = { ...batch, createdAt: now, payouts, feeRate: asked.feeRate }
  const funded = await fund(db, config, asked.wallet, of)
  return {
    chosen,
    units,
    amountCents: chosen.reduce((sum, { withdrawal }) => sum + withdrawal.amount_cents, 0n),
    funded,
    highFee: highFeeOf(asked.wallet, funded, units),
  }
}

/**
 * Adds the amounts in coin, and locks those that are open at one rate.
 * @throws AppError rate_unavailable, unpayable
 */
async function withAmounts(
  reader: Reader,
  wallet: PayoutWallet,
  withdrawals: readonly WithdrawalOnFile[],
  now: Date,
): Promise<Chosen[]> {
  const addresses = withdrawals.map(({ address }) => address)
  const guard = payeeGuard(reader.config, wallet, await listingsOf(reader.db, addresses))
  const isOpen = withdrawals.some(({ payout_units }) => payout_units === null)
  const rate = isOpen ? await currentRate(reader, wallet, now) : undefined
  return withdrawals.map(withdrawal => {
    const { invoice_id: invoice, address, payout_units, amount_cents } = withdrawal
    const locked = payout_units === null ? lockAmount(rate!, amount_cents) : null
    const units = payout_units ?? locked?.payout_units
    const tooSmall: PayeeRefusal = { reason: 'amount_too_small', asset: payoutRails[wallet].asset }
    const cause = guard(address, units) ?? (units === undefined ? tooSmall : null)
    if (cause) throw payoutRefusals.error({ reason: 'unpayable', invoice, cause })
    return { withdrawal, locked, units: units! }
  })
}

/** '7.5', or null if the fee is low enough to need no acceptance, or paid in another coin. */
function highFeeOf(wallet: PayoutWallet, { fee }: Funded, units: bigint): string | null {
  const isSameCoin = payoutRails[wallet].asset === feeAsset(wallet)
  if (fee.units === null || !isSameCoin || fee.units * 100n <= units * BigInt(plainFeeShare)) return null
  return formatDecimal((fee.units * 1_000n) / units, 1)
}

/** Refuses a high fee that the caller has not accepted, or that has risen since. */
function feeRefusal(
  { funded: { fee }, highFee }: PayoutPlan,
  { wallet, acceptedFee }: PayoutRequest,
): PayoutRefusal | null {
  if (fee.units === null || highFee === null) return null
  const { asset } = payoutRails[wallet]
  const accepted = acceptedFee === undefined ? undefined : parseDecimal(acceptedFee, assetDecimals[asset])
  if (accepted !== undefined && accepted >= fee.units) return null
  const is = { fee: coinAmount(fee.units, asset), percent: highFee }
  return accepted === undefined
    ? { reason: 'high_fee', ...is }
    : { reason: 'fee_increased', ...is, accepted: coinAmount(accepted, asset) }
}

/** The requested withdrawals in the order of their ids, if this batch can pay all of them now. */
async function payableWithdrawals(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  { wallet, withdrawals: ids }: PayoutRequest,
): Promise<WithdrawalOnFile[]> {
  const rows = await db
    .selectFrom('app.withdrawals')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  if (rows.length < ids.length) throw new AppError('not_found', t('There is no such withdrawal'))
  for (const row of rows) {
    requireOther('withdrawal', row.user_id, ctx.caller.userId)
    const refusal = withdrawalRefusal(wallet, row)
    if (refusal) throw payoutRefusals.error(refusal)
  }
  const refusal =
    duplicateAddress(rows) ?? (await alreadyInBatch(db, ids)) ?? (await unreviewedAlert(db, ids))
  if (refusal) throw payoutRefusals.error(refusal)
  await requirePayableOwners(db, rows)
  return rows
}

async function requirePayableOwners(db: Kysely<Schema>, rows: readonly WithdrawalOnFile[]): Promise<void> {
  const owners = rows.map(({ user_id }) => user_id)
  await requireUnfrozen(db, owners)
  const stops = await nameStops(db, owners)
  const debts = await openDebts(db, owners)
  for (const { user_id, invoice_id: invoice } of rows) {
    const cause = stops.get(user_id)?.words
    if (cause !== undefined) throw payoutRefusals.error({ reason: 'owner_stopped', invoice, cause })
    const nextStep = t('Leave {invoice} out and decline it; the released hold will repay the debt.', {
      invoice,
    })
    refuseDebt(debts.get(user_id), nextStep)
  }
}

function withdrawalRefusal(needed: PayoutWallet, row: WithdrawalOnFile): PayoutRefusal | null {
  const { invoice_id: invoice, wallet, status } = row
  if (wallet !== needed) return { reason: 'wrong_wallet', invoice, wallet, needed }
  return status === 'approved' ? null : { reason: 'not_approved', invoice, status }
}

/** What a transaction pays to an address is compared with one withdrawal. */
function duplicateAddress(rows: readonly WithdrawalOnFile[]): PayoutRefusal | null {
  const keys = new Set<string>()
  for (const { address } of rows) {
    const key = addressKey(address)
    if (keys.has(key)) return { reason: 'duplicate_address', address }
    keys.add(key)
  }
  return null
}

async function alreadyInBatch(db: Kysely<Schema>, ids: readonly string[]): Promise<PayoutRefusal | null> {
  const item = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['b.number', 'w.invoice_id'])
    .where('p.withdrawal_id', 'in', ids)
    .where('p.state', '=', 'open')
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  return item ? { reason: 'already_in_batch', invoice: item.invoice_id, number: item.number } : null
}

async function insertBatch(
  tx: Tx,
  ctx: SignedInContext,
  { wallet }: PayoutRequest,
  { chosen, units, funded }: PayoutPlan,
  { id, number, now }: { id: string; number: string; now: Date },
): Promise<void> {
  const { rail, asset } = payoutRails[wallet]
  await tx
    .insertInto('app.payout_batches')
    .values({
      id,
      number,
      rail,
      wallet,
      asset,
      network: networkName(ctx.services.config, wallet),
      sender: funded.sender,
      by_safe: funded.bySafe ?? false,
      units,
      created_by: ctx.caller.userId,
      created_at: now,
    })
    .execute()
  await insertPayments(tx, id, funded)
  await insertFile(tx, ctx, { id, version: 1, purpose: 'payment' }, funded)
  await tx
    .insertInto('app.payout_items')
    .values(
      chosen.map(({ withdrawal, units: owed }, position) => ({
        batch_id: id,
        position,
        // One transaction pays all, or each its own.
        payment: funded.drafts.length === 1 ? 0 : position,
        withdrawal_id: withdrawal.id,
        address: withdrawal.address,
        token: asset,
        units: owed,
      })),
    )
    .execute()
}
