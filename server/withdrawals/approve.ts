import { type RawBuilder, sql } from 'kysely'
import { actsIn, auditEach } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { type DebtColumns, debtIn, joinDebt, refuseDebt } from '#server/deposits/debt.ts'
import { identityRefusals } from '#server/identity/messages.ts'
import { noticesOf } from '#server/notifications/notices.ts'
import { found, lockWithdrawals, type WithdrawalOnFile } from '#server/payouts/pay.ts'
import { payeeGuard } from '#server/payouts/payable.ts'
import {
  type LockedAmount,
  lockAmount,
  lockedAmountDetails,
  rateIfAvailable,
} from '#server/payouts/rate-lock.ts'
import { Outdated } from '#server/platform/database/retrying.ts'
import { type Sifted, sift } from '#server/queries/sift.ts'
import { requireOther, requireStatus } from '#server/queries/status.ts'
import { ownerStopped } from '#server/screening/messages.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import type { Listing, NameStop } from '#shared/sanctions.ts'
import { declineForDebt, withdrawalRefusals } from './messages.ts'
import type { WithdrawalRow } from './queries.ts'

/** A withdrawal, and who approves it. */
type Approval = { id: string; by: SignedInContext }
type StandingRow = DebtColumns & {
  id: string
  user_name: string | null
  /** Approvals that count now, whether this approver's is one of them, and all that were ever given. */
  approvals: number
  mine: boolean
  given: number
  /** Approvals needed as stored, and by the investor's requests of 24 hours. */
  before: number
  needed: number
  single_approval_cents: bigint
  /** What the approver has approved alone in 24 hours. */
  alone_cents: bigint
  listing: Listing | null
  stop: NameStop | null
  lacks: CheckKind | null
}

type Decision = {
  by: SignedInContext
  withdrawal: WithdrawalOnFile
  standing: StandingRow
  isNew: boolean
  approvals: number
  needed: number
  secondApproval: 'investor_day' | 'approver_day' | null
  isEnough: boolean
  locked: LockedAmount | undefined
}

/**
 * Records an admin's approval of each. The last one that is needed moves pending → approved and, given a fresh rate, locks the amount in
 * coin. No money moves. What one admin approves alone is added up in the order of the list.
 * @returns those with the approval, as they are now, and refusals, which have changed nothing: not_found, own_request, wrong_state,
 * same_approver
 * @throws Outdated if another approval by one of the admins was committed meanwhile
 */
export async function approveWithdrawals(
  tx: Tx,
  services: Services,
  approvals: readonly Approval[],
): Promise<Sifted<WithdrawalRow>> {
  const now = services.clock.now()
  const byId = new Map(approvals.map(({ id, by }) => [id, by]))
  const withdrawals = await lockWithdrawals(tx, [...byId.keys()])
  const decide = decider(await standingOf(tx, approvals, now))
  const amountIn = amountLocker(tx, services, now)
  const { decided, refused } = await sift([...byId.keys()], async (id): Promise<Decision> => {
    const withdrawal = found(withdrawals, id)
    const decision = decide(withdrawal, byId.get(id)!)
    return { ...decision, locked: decision.isEnough ? await amountIn(withdrawal) : undefined }
  })
  if (decided.length > 0) await record(tx, decided, now)
  return { decided: decided.map(decision => rowOf(decision, now)), refused }
}

/** The withdrawal as it is after the decision. */
function rowOf(
  { withdrawal, standing, isNew, approvals, needed, secondApproval, isEnough, locked }: Decision,
  now: Date,
): WithdrawalRow {
  return {
    ...withdrawal,
    ...(isEnough && { status: 'approved', approved_at: now, ...locked }),
    approvals: isEnough ? standing.given + (isNew ? 1 : 0) : approvals,
    approvals_needed: needed,
    second_approval: secondApproval ?? withdrawal.second_approval,
    user_name: standing.user_name,
    batch: null,
  }
}

/** Nothing is locked: what another approval of the same admin changes meanwhile is noticed at the end (`markApproved`). */
async function standingOf(
  tx: Tx,
  approvals: readonly Approval[],
  now: Date,
): Promise<Map<string, StandingRow>> {
  const approvers = approvals.map(({ by }) => by.caller.userId)
  const { rows } = await sql<StandingRow>`
    WITH alone AS MATERIALIZED (
      SELECT id, app.approved_alone(id, ${now})::bigint AS cents FROM unnest(${[...new Set(approvers)]}::uuid[]) AS id)
    SELECT w.id, (SELECT u.name FROM app.users u WHERE u.id = w.user_id) AS user_name,
           (SELECT count(*) FROM app.withdrawal_approvals a WHERE a.withdrawal_id = w.id)::int AS given,
           app.approvals_of(w.id)::int AS approvals, w.approvals_needed AS before, app.approvals_needed(w) AS needed,
           app.single_approval(w) AS single_approval_cents,
           EXISTS (SELECT FROM app.withdrawal_approvals a JOIN app.users u ON u.id = a.admin_id AND u.holder = a.holder
                    WHERE a.withdrawal_id = w.id AND a.admin_id = asked.approver) AS mine,
           (SELECT cents FROM alone WHERE alone.id = asked.approver) AS alone_cents,
           app.listing_of(w.address) AS listing, app.name_stop(w.user_id) AS stop, app.withdrawal_lacks(w) AS lacks, debt.*
      FROM unnest(${approvals.map(({ id }) => id)}::uuid[], ${approvers}::uuid[]) AS asked (id, approver)
      JOIN app.withdrawals w ON w.id = asked.id
           ${joinDebt(sql.ref('w.user_id'))}`.execute(tx)
  return new Map(rows.map(row => [row.id, row]))
}

/** Decides about one withdrawal after the other, with the approvals of those before it. */
function decider(standings: ReadonlyMap<string, StandingRow>) {
  const aloneCents = new Map<string, bigint>()
  return (withdrawal: WithdrawalOnFile, by: SignedInContext): Omit<Decision, 'locked'> => {
    const approver = by.caller.userId
    requireOther('withdrawal', withdrawal.user_id, approver)
    requireStatus('withdrawal', withdrawal, 'approved')
    const standing = standings.get(withdrawal.id)!
    const alone = aloneCents.get(approver) ?? standing.alone_cents
    if (standing.listing) throw withdrawalRefusals.error({ reason: 'address_listed', ...standing.listing })
    if (standing.stop) throw withdrawalRefusals.error(ownerStopped(standing.user_name, standing.stop))
    if (standing.lacks) throw identityRefusals.error({ reason: 'withdrawal_waits', kind: standing.lacks })
    refuseDebt(debtIn(standing), declineForDebt())
    const isNew = !standing.mine
    const approvals = isNew ? standing.approvals + 1 : standing.approvals
    const isTooMuchAlone = approvals === 1 && alone + withdrawal.amount_cents > standing.single_approval_cents
    const secondApproval =
      standing.before > 1
        ? null
        : standing.needed > 1
          ? 'investor_day'
          : isTooMuchAlone
            ? 'approver_day'
            : null
    const needed = secondApproval === null ? standing.before : 2
    const isEnough = approvals >= needed
    // An earlier approval that stopped counting counts again once its admin may decide again.
    if (!isNew && !isEnough) throw approvedAlready()
    if (isEnough && needed === 1) aloneCents.set(approver, alone + withdrawal.amount_cents)
    return { by, withdrawal, standing, isNew, approvals, needed, secondApproval, isEnough }
  }
}

function approvedAlready(): AppError {
  return new AppError(
    'same_approver',
    t(
      'You have already approved this withdrawal. Another person with the role Admin or Finance must approve it too.',
    ),
  )
}

/**
 * The amount in coin at the current rate, if there is one; the rate is read once for each wallet.
 * @throws AppError unpayable if no batch could pay it: it can still be declined
 */
function amountLocker(tx: Tx, services: Services, now: Date) {
  const rates = new Map<string, ReturnType<typeof rateIfAvailable>>()
  return async ({ wallet, address, amount_cents }: WithdrawalOnFile): Promise<LockedAmount | undefined> => {
    if (!rates.has(wallet)) rates.set(wallet, rateIfAvailable({ ...services, db: tx }, wallet, now))
    const rate = await rates.get(wallet)
    const locked = rate && lockAmount(rate, amount_cents)
    const cause =
      locked === null
        ? { reason: 'amount_too_small' as const, asset: rate!.asset }
        : payeeGuard(services.config, wallet)(address, locked?.payout_units)
    if (cause) throw withdrawalRefusals.error({ reason: 'unpayable', cause })
    return locked ?? undefined
  }
}

/** Stores the approvals with their audit lines and notifications. */
async function record(tx: Tx, decided: readonly Decision[], now: Date): Promise<void> {
  // First, so that none of their approvals counts as enough alone.
  const waiting = decided.filter(({ secondApproval }) => secondApproval !== null)
  if (waiting.length > 0) {
    await sql`
      UPDATE app.withdrawals w SET approvals_needed = 2, second_approval = d.second_approval
        FROM unnest(${waiting.map(({ withdrawal }) => withdrawal.id)}::uuid[],
                    ${waiting.map(({ secondApproval }) => secondApproval)}::text[]) AS d (id, second_approval)
       WHERE w.id = d.id`.execute(tx)
  }
  const fresh = decided.filter(({ isNew }) => isNew)
  if (fresh.length > 0) {
    await sql`
      INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, holder, created_at)
      SELECT given.id, u.id, u.holder, ${now}
        FROM unnest(${fresh.map(({ withdrawal }) => withdrawal.id)}::uuid[], ${fresh.map(({ by }) => by.caller.userId)}::uuid[])
               AS given (id, approver)
        JOIN app.users u ON u.id = given.approver
       -- Each locks its person's sum, so that two groups wait for each other in no circle.
       ORDER BY u.id`.execute(tx)
  }
  const lines = decided.map(({ by, withdrawal, approvals, needed, secondApproval, isEnough, locked }) => ({
    by,
    action: 'withdrawal.approved' as const,
    subject: { kind: 'withdrawal', id: withdrawal.id },
    moved: ['pending', isEnough ? 'approved' : 'pending'] as const,
    details: {
      approvals,
      needed,
      ...(secondApproval && { secondApproval }),
      ...(locked && lockedAmountDetails(locked)),
    },
  }))
  const approved = decided.filter(({ isEnough }) => isEnough)
  const records = approved.map(({ withdrawal }) => withdrawal)
  const also =
    approved.length > 0
      ? [markApproved(approved, now), ...noticesOf('withdrawal.approved', records, now, actsIn(approved))]
      : []
  await auditEach(tx, lines, also).catch((error: unknown) => {
    throw (error as { code?: unknown }).code === unapproved ? new Outdated() : error
  })
}

/** SQLSTATE of a missing approval, or of too much approved by one person alone (0033_record_guards.sql). */
const unapproved = 'PB914'

/** In the last statement: its guard locks the account of a person who approves alone, so that their concurrent approvals are added up. */
function markApproved(approved: readonly Decision[], now: Date): RawBuilder<unknown> {
  const column = <K extends keyof LockedAmount>(name: K) =>
    approved.map(({ locked }) => locked?.[name] ?? null)
  return sql`
    UPDATE app.withdrawals w
       SET status = 'approved', approved_at = ${now}, payout_asset = a.asset, payout_units = a.units,
           payout_rate_e8 = a.rate_e8, payout_rate_at = a.rate_at, payout_rate_source = a.rate_source
      FROM unnest(${approved.map(({ withdrawal }) => withdrawal.id)}::uuid[], ${column('payout_asset')}::text[],
                  ${column('payout_units')}::bigint[], ${column('payout_rate_e8')}::bigint[],
                  ${column('payout_rate_at')}::timestamptz[], ${column('payout_rate_source')}::text[])
             AS a (id, asset, units, rate_e8, rate_at, rate_source)
     WHERE w.id = a.id`
}
