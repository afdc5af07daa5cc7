import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import { requireNoDebt } from '#server/payments/shortfall.ts'
import { requireOther } from '#server/payments/states.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { Reader } from '#server/prices/rates.ts'
import { type AuditLine, auditAll } from '#server/records/audit.ts'
import { requireUnfrozen } from '#server/records/frozen.ts'
import { coinAmount } from '#server/records/payouts.ts'
import { addressKey } from '#shared/addresses.ts'
import { type PayoutWallet, payoutRails } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { plainFeeShare } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, parseDecimal } from '#shared/money.ts'
import { fundBitcoin, keepChange } from './bitcoin.ts'
import { accountFile, type Funded, networkName, type Payout, unavailability } from './files.ts'
import { detailsOfFixed, type Fixed, fixedAt, rateNow } from './fixed.ts'
import { type Known, knownNow } from './known.ts'
import { requireNothingCame } from './once.ts'
import type { WithdrawalOnFile } from './pay.ts'
import { payeeFaults, requirePayableOf } from './payable.ts'

/** What a batch is asked to pay. */
export type AskedPayout = {
  wallet: PayoutWallet
  withdrawals: readonly string[]
  /** Bitcoin: satoshi for a virtual byte. */
  feeRate?: number | undefined
  /** The network's fee that is accepted although it is high for what is paid, in the coin. */
  acceptedFee?: string | undefined
}

type Chosen = { withdrawal: WithdrawalOnFile; units: bigint; fixed: Fixed | null }

/** What a batch would pay and spend. */
export type PayoutPlan = {
  chosen: Chosen[]
  units: bigint
  amountCents: bigint
  funded: Funded
  /** null of Bitcoin. */
  known: Known | null
  /** Its fee in percent of what it pays, where that has to be accepted. */
  highFee: string | null
}

/**
 * What a batch of these withdrawals would be; nothing is written, and nothing locked.
 * @throws AppError as `makePayout`
 */
export function planPayout(ctx: SignedInContext, asked: AskedPayout): Promise<PayoutPlan> {
  const now = ctx.services.clock.now()
  return planned(ctx.services.db, ctx, asked, { id: newId(now), number: 'preview', now })
}

/**
 * Makes a batch of approved withdrawals in one coin: its unsigned file, once, and what it reserves. What was not fixed with the
 * approval is fixed now.
 * @returns its id
 * @throws AppError not_found, own_request, account_frozen, wrong_state; rate_unavailable where an amount has to be fixed and no rate
 *   is fresh; invalid_input without a fee rate of a coin that needs one
 */
export async function makePayout(tx: Tx, ctx: SignedInContext, asked: AskedPayout): Promise<string> {
  // One at a time: two batches must not count on the same outputs.
  await sql`SELECT pg_advisory_xact_lock(${lockKeys.payouts})`.execute(tx)
  await lockWithdrawals(tx, asked.withdrawals)
  const now = ctx.services.clock.now()
  const id = newId(now)
  const number = await nextNumber(tx, now)
  const plan = await planned(tx, ctx, asked, { id, number, now })
  requireFeeAccepted(plan, asked)
  for (const { withdrawal, fixed } of plan.chosen) {
    if (fixed === null) continue
    await tx.updateTable('app.withdrawals').set(fixed).where('id', '=', withdrawal.id).execute()
  }
  await insertBatch(tx, ctx, asked, plan, { id, number, now })
  await keepChange(tx, ctx.services.config, plan.funded, now)
  await auditAll(tx, ctx, linesOf(asked, plan, { id, number }))
  return id
}

/** The batch's line, and one for each withdrawal whose amount in the coin is fixed with it: whoever makes it chooses that moment. */
function linesOf(
  { wallet }: AskedPayout,
  { chosen, units, funded, highFee }: PayoutPlan,
  { id, number }: { id: string; number: string },
): AuditLine[] {
  const fixed = chosen.flatMap(({ withdrawal, fixed }): AuditLine[] => {
    if (fixed === null) return []
    const subject = { kind: 'withdrawal', id: withdrawal.id }
    // The investor reads this history; why the batch was made is our team's matter.
    return [
      {
        action: 'withdrawal.rate_locked',
        subject,
        reason: null,
        details: { ...detailsOfFixed(fixed), batch: number },
      },
    ]
  })
  const made: AuditLine = {
    action: 'payout.created',
    subject: { kind: 'payout', id },
    details: {
      number,
      withdrawals: chosen.map(({ withdrawal }) => withdrawal.invoice_id),
      pays: coinAmount(units, payoutRails[wallet].asset),
      ...(funded.fee && { fee: coinAmount(funded.fee.units, 'BTC') }),
      ...(highFee !== null && { acceptedFee: `${highFee} % of what is paid` }),
      sha256: sha256(funded.file.content).toString('hex'),
    },
  }
  return [...fixed, made]
}

async function lockWithdrawals(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .selectFrom('app.withdrawals')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
}

async function nextNumber(tx: Tx, at: Date): Promise<string> {
  const { rows } = await sql<{ number: string }>`SELECT app.next_invoice('PAY', ${at}) AS number`.execute(tx)
  return rows[0]!.number
}

async function planned(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  asked: AskedPayout,
  { now, ...batch }: { id: string; number: string; now: Date },
): Promise<PayoutPlan> {
  const { config } = ctx.services
  const unavailable = unavailability(config, asked.wallet)
  if (unavailable !== null) throw new AppError('wrong_state', unavailable)
  const { method } = payoutRails[asked.wallet]
  const known = method === 'bitcoin' ? null : await knownNow(db, method)
  const withdrawals = await payable(db, ctx, asked)
  const chosen = await chosenOf({ db, config }, asked.wallet, withdrawals, now)
  const payouts: Payout[] = chosen.map(({ withdrawal, units }) => ({
    reference: withdrawal.invoice_id,
    to: withdrawal.address,
    units,
  }))
  const of = { ...batch, createdAt: now, payouts, withdrawals: withdrawals.map(({ id }) => id) }
  const units = chosen.reduce((sum, { units }) => sum + units, 0n)
  const funded =
    asked.wallet === 'Bitcoin (BTC)'
      ? await fundBitcoin(db, config, of, asked.feeRate)
      : await accountFile(db, config, asked.wallet, of)
  return {
    chosen,
    units,
    amountCents: chosen.reduce((sum, { withdrawal }) => sum + withdrawal.amount_cents, 0n),
    funded,
    known,
    highFee: highFeeOf(funded, units),
  }
}

/**
 * What each is paid: all that is not fixed yet, at one rate.
 * @throws AppError rate_unavailable where there is something to fix and no fresh rate; wrong_state where no batch can pay one of them
 */
async function chosenOf(
  reader: Reader,
  wallet: PayoutWallet,
  withdrawals: readonly WithdrawalOnFile[],
  now: Date,
): Promise<Chosen[]> {
  const faultOf = payeeFaults(reader.config, wallet)
  const isOpen = withdrawals.some(({ payout_units }) => payout_units === null)
  const rate = isOpen ? await rateNow(reader, wallet, now) : undefined
  return withdrawals.map(withdrawal => {
    const { payout_units, amount_cents } = withdrawal
    const fixed = payout_units === null ? fixedAt(rate!, amount_cents) : null
    const units = payout_units ?? fixed!.payout_units
    requirePayableOf(faultOf, withdrawal, units)
    return { withdrawal, fixed, units }
  })
}

/** '7.5', where it is more than is paid without asking. */
function highFeeOf({ fee }: Funded, units: bigint): string | null {
  if (fee === null || fee.units * 100n <= units * BigInt(plainFeeShare)) return null
  return formatDecimal((fee.units * 1_000n) / units, 1)
}

/** @throws AppError wrong_state where nobody has accepted a fee that is high for what is paid, or one that is higher by now */
function requireFeeAccepted(
  { funded: { fee }, highFee }: PayoutPlan,
  { wallet, acceptedFee }: AskedPayout,
): void {
  if (fee === null || highFee === null) return
  const { asset } = payoutRails[wallet]
  const accepted = acceptedFee === undefined ? undefined : parseDecimal(acceptedFee, assetDecimals[asset])
  if (accepted !== undefined && accepted >= fee.units) return
  const is = `The network's fee of ${coinAmount(fee.units, asset)} is ${highFee} % of what this batch pays`
  throw new AppError(
    'wrong_state',
    accepted === undefined
      ? `${is}. Take a lower fee rate, pay more withdrawals together, or accept that fee.`
      : `${is}, and no more than ${coinAmount(accepted, asset)} was accepted. Look at the batch again.`,
  )
}

/** The withdrawals in the order of their ids, each of which may be put into this batch now. */
async function payable(
  db: Kysely<Schema>,
  ctx: SignedInContext,
  { wallet, withdrawals: ids }: AskedPayout,
): Promise<WithdrawalOnFile[]> {
  const rows = await db
    .selectFrom('app.withdrawals')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  if (rows.length < ids.length) throw new AppError('not_found', 'There is no such withdrawal')
  for (const row of rows) requireOfBatch(ctx, wallet, row)
  requireOnePerAddress(rows)
  await requireFree(db, ids)
  await requireNothingCame(db, ids)
  for (const { user_id, invoice_id } of rows) {
    await requireUnfrozen(db, user_id)
    const todo = `Leave ${invoice_id} out and decline it: what it holds makes that good.`
    await requireNoDebt(db, user_id, todo)
  }
  return rows
}

/** That it is somebody else's, approved, and paid in this coin. */
function requireOfBatch(ctx: SignedInContext, wallet: PayoutWallet, row: WithdrawalOnFile): void {
  requireOther('withdrawal', row.user_id, ctx.caller.userId)
  if (row.wallet !== wallet) {
    throw new AppError('wrong_state', `${row.invoice_id} is paid in ${row.wallet}, not in ${wallet}.`)
  }
  if (row.status !== 'approved') {
    const is = row.status === 'pending' ? 'still pending' : `already ${row.status}`
    throw new AppError(
      'wrong_state',
      `${row.invoice_id} is ${is}. Only approved withdrawals can be paid out.`,
    )
  }
}

/** Two equal transfers to one address could not be told apart on the chain. */
function requireOnePerAddress(rows: readonly WithdrawalOnFile[]): void {
  const addressed = new Set<string>()
  for (const { address } of rows) {
    const key = addressKey(address)
    if (addressed.has(key)) {
      throw new AppError(
        'wrong_state',
        `Two of these withdrawals go to ${address}. A batch pays an address once: put one of them into another batch.`,
      )
    }
    addressed.add(key)
  }
}

async function requireFree(db: Kysely<Schema>, ids: readonly string[]): Promise<void> {
  const taken = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['b.number', 'w.invoice_id'])
    .where('p.withdrawal_id', 'in', ids)
    .where('p.state', '=', 'open')
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  if (taken) {
    throw new AppError('wrong_state', `${taken.invoice_id} is in batch ${taken.number} already.`)
  }
}

async function insertBatch(
  tx: Tx,
  ctx: SignedInContext,
  { wallet }: AskedPayout,
  { chosen, units, funded, known }: PayoutPlan,
  { id, number, now }: { id: string; number: string; now: Date },
): Promise<void> {
  const { file, fee, change, sender, expiresAt } = funded
  const { method, asset } = payoutRails[wallet]
  const [created_by, assignee_id] = [ctx.caller.userId, ctx.caller.userId]
  await tx
    .insertInto('app.payout_batches')
    .values({
      id,
      number,
      method,
      wallet,
      asset,
      network: networkName(ctx.services.config, wallet),
      sender,
      units,
      fee_rate: fee?.rate ?? null,
      fee_units: fee?.units ?? null,
      change_address: change?.address ?? null,
      change_units: change?.units ?? null,
      file_name: file.name,
      file_type: file.type,
      file: file.content,
      file_sha256: sha256(file.content),
      created_by,
      assignee_id,
      created_at: now,
      expires_at: expiresAt,
      median_time_past: known?.time ?? null,
      last_transfer_id: known?.transfer ?? null,
    })
    .execute()
  await insertItems(tx, id, { chosen, funded })
}

async function insertItems(
  tx: Tx,
  id: string,
  { chosen, funded: { inputs, nonces, sender } }: Pick<PayoutPlan, 'chosen' | 'funded'>,
): Promise<void> {
  await tx
    .insertInto('app.payout_items')
    .values(
      chosen.map(({ withdrawal, units }, position) => ({
        batch_id: id,
        position,
        withdrawal_id: withdrawal.id,
        address: withdrawal.address,
        units,
        ...(nonces === null || sender === null
          ? {}
          : { sender: addressKey(sender), nonce: nonces[position]! }),
      })),
    )
    .execute()
  if (inputs.length > 0) {
    await tx
      .insertInto('app.payout_inputs')
      .values(inputs.map(input => ({ batch_id: id, ...input })))
      .execute()
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
