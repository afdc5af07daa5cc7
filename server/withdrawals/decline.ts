import { sql } from 'kysely'
import { actsIn, auditEach } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { debtOf, lockDebts, recoverDebt } from '#server/deposits/debt.ts'
import type { Ending } from '#server/deposits/settle.ts'
import { withdrawalDeclined } from '#server/ledger/events.ts'
import { postAll } from '#server/ledger/post.ts'
import { noticesOf } from '#server/notifications/notices.ts'
import { openBatchOf } from '#server/payouts/batch.ts'
import { type PayoutRefusal, payoutRefusals } from '#server/payouts/messages.ts'
import { found, lockWithdrawals, type WithdrawalOnFile } from '#server/payouts/pay.ts'
import { unpayableNow } from '#server/payouts/payable.ts'
import { requireNoRestore } from '#server/payouts/restored.ts'
import { unreviewedAlert } from '#server/payouts/review.ts'
import { inLanguage } from '#server/platform/language.ts'
import { type Sifted, sift } from '#server/queries/sift.ts'
import { requireStatus } from '#server/queries/status.ts'
import { nameStopOf } from '#server/screening/name-stop.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { entryKey } from '#shared/sanctions.ts'
import { withdrawalRefusals } from './messages.ts'
import { type WithdrawalRow, withdrawalsById } from './queries.ts'

/** The end of a withdrawal, and who decides it. */
type Release = { by: SignedInContext; withdrawal: WithdrawalOnFile; ending: Ending }

/** `notPaid` attests that nobody has paid an approved withdrawal manually, and nobody will. */
export type Decline = { id: string; by: SignedInContext; reason: string; notPaid?: boolean | undefined }

/**
 * pending → declined, with a reason that the investor sees; releases the hold. Also approved → declined, if the investor has a debt or
 * is on a sanctions list, or no batch could pay it, and nothing was sent.
 * @returns those declined, as they are now, and refusals, which have changed nothing: not_found, wrong_state
 */
export async function declineWithdrawals(
  tx: Tx,
  services: Services,
  declines: readonly Decline[],
): Promise<Sifted<WithdrawalRow>> {
  const byId = new Map(declines.map(decline => [decline.id, decline]))
  const withdrawals = await lockWithdrawals(tx, [...byId.keys()])
  await requireNoRestore(tx, services.config)
  // What the withdrawals before it will have released, and so repaid of their investor's debts.
  const releasedCents = new Map<string, bigint>()
  const { decided, refused } = await sift([...byId.keys()], async id => {
    const { by, reason, notPaid = false } = byId.get(id)!
    const withdrawal = found(withdrawals, id)
    const { user_id, amount_cents } = withdrawal
    const released = releasedCents.get(user_id) ?? 0n
    const details = await assertDeclinable(tx, services, { withdrawal, notPaid, releasedCents: released })
    releasedCents.set(user_id, released + amount_cents)
    return { by, withdrawal, details, reason, ending: { reason } }
  })
  if (decided.length === 0) return { decided: [], refused }
  await release(tx, decided)
  const lines = decided.map(({ by, withdrawal: { id, status }, details, reason }) => ({
    by,
    action: 'withdrawal.declined' as const,
    subject: { kind: 'withdrawal', id },
    moved: [status, 'declined'] as const,
    reason,
    details,
  }))
  const records = decided.map(({ withdrawal }) => withdrawal)
  const now = services.clock.now()
  await auditEach(tx, lines, noticesOf('withdrawal.declined', records, now, actsIn(decided)))
  const ids = records.map(({ id }) => id)
  return { decided: await withdrawalsById(tx, ids), refused }
}

/** Ends withdrawals: what they held is available again, less any debt that it repays. */
export async function release(tx: Tx, releases: readonly Release[]): Promise<void> {
  const users = releases.map(({ withdrawal }) => withdrawal.user_id)
  const owing = await lockDebts(tx, users)
  await postAll(tx, releases.map(postingOf))
  const recovered: bigint[] = []
  for (const { by, withdrawal } of releases) {
    const { user_id: userId, amount_cents: amountCents } = withdrawal
    recovered.push(owing.has(userId) ? await recoverDebt(tx, by, { userId, amountCents }) : 0n)
  }
  const ids = releases.map(({ withdrawal }) => withdrawal.id)
  const reasons = releases.map(({ ending }) => ('reason' in ending ? ending.reason : null))
  const cancelledBy = releases.map(({ ending }) => ('cancelledBy' in ending ? ending.cancelledBy : null))
  await sql`
    UPDATE app.withdrawals w
       SET status = 'declined', decline_reason = e.reason, cancelled_by = e.cancelled_by, recovered_cents = e.recovered
      FROM unnest(${ids}::uuid[], ${reasons}::text[], ${cancelledBy}::uuid[], ${recovered}::bigint[])
             AS e (id, reason, cancelled_by, recovered)
     WHERE w.id = e.id`.execute(tx)
}

function postingOf({ by, withdrawal, ending }: Release) {
  const { id, user_id: userId, amount_cents: amountCents, hold_id: holdId } = withdrawal
  const memo = 'reason' in ending ? { memo: ending.reason } : {}
  return withdrawalDeclined({
    userId,
    amountCents,
    withdrawalId: id,
    holdId,
    actor: by.caller.userId,
    ...memo,
  })
}

/** A withdrawal, locked, so that no batch can take it meanwhile. */
type Declinable = { withdrawal: WithdrawalOnFile; notPaid: boolean; releasedCents: bigint }

/**
 * @returns for the audit log, why an approved withdrawal can be declined, and the attestation
 * @throws AppError wrong_state
 */
async function assertDeclinable(
  tx: Tx,
  services: Services,
  { withdrawal, notPaid, releasedCents }: Declinable,
): Promise<Record<string, unknown>> {
  const { id, user_id, status } = withdrawal
  if (status !== 'approved') {
    requireStatus('withdrawal', withdrawal, 'declined')
    return {}
  }
  const now = services.clock.now()
  // For the audit log, which is in English.
  const unpayable = await inLanguage(sourceLanguage, () =>
    unpayableNow({ ...services, db: tx }, withdrawal, now),
  )
  const hasDebt = (await debtOf(tx, user_id)) > releasedCents
  const stop = await nameStopOf(tx, user_id)
  const listing = stop?.why === 'same' ? stop : null
  if (unpayable === null && !hasDebt && !listing) requireStatus('withdrawal', withdrawal, 'declined')
  const refusal = (await openBatch(tx, id)) ?? (await unreviewedAlert(tx, [id]))
  if (refusal) throw payoutRefusals.error(refusal)
  // We cannot know of manual payments, so staff must attest that there was none.
  if (!notPaid) throw withdrawalRefusals.error({ reason: 'may_be_paid' })
  return {
    ...(unpayable !== null && { unpayable }),
    ...(listing && { owner: entryKey(listing) }),
    attestedNotPaid: true,
  }
}

async function openBatch(tx: Tx, id: string): Promise<PayoutRefusal | null> {
  const batch = await openBatchOf(tx, id)
  return batch ? { reason: 'in_open_batch', number: batch.number } : null
}
