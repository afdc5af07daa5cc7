import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { declineInvestment } from '#server/investments/service.ts'
import { notifyOfCheck } from '#server/notifications/notices.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { FundsDetails, IdentityDetails, openCheck as openCheckCall } from '#shared/contract/identity.ts'
import { invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import type { CheckDecision, CheckKind } from '#shared/identity.ts'
import { identityValidYears } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { identityRefusals } from './messages.ts'
import { noSuchCheck } from './queries.ts'
import { openProof } from './sealed.ts'

type Locked = {
  id: string
  user_id: string
  user_name: string
  /** The account's name now. */
  name: string
  kind: CheckKind
  decision: CheckDecision | 'cancelled' | null
  decided_by: string | null
  sealed_answers: Buffer | null
}

/** @throws AppError not_found, also for one's own; forbidden for another member of staff's, without the right to manage */
async function lockCheck(tx: Tx, { caller }: SignedInContext, id: string): Promise<Locked> {
  const row = await tx
    .selectFrom('app.identity_checks as c')
    .innerJoin('app.users as u', 'u.id', 'c.user_id')
    .select(['c.id', 'c.user_id', 'c.user_name', 'u.name', 'c.kind', 'c.decision', 'c.decided_by'])
    .select('c.sealed_answers')
    .where('c.id', '=', id)
    .where('c.user_id', '<>', caller.userId)
    .forUpdate('c')
    .executeTakeFirst()
  if (!row) throw noSuchCheck()
  await requireCanAdminister(tx, caller, row.user_id)
  return row
}

type Opened = CallData<typeof openCheckCall>

/**
 * Opens what was sent with a check; the audit log names who did.
 * @throws AppError not_found, forbidden; check_erased
 */
export async function openCheck(tx: Tx, ctx: SignedInContext, id: string): Promise<Opened> {
  const check = await lockCheck(tx, ctx, id)
  const answers = answersOf(ctx, check)
  const subject = { kind: 'user', id: check.user_id }
  await audit(tx, ctx, { action: 'identity.opened', subject, details: { check: id, kind: check.kind } })
  return check.kind === 'identity'
    ? { identity: answers as Opened['identity'], funds: null }
    : { identity: null, funds: answers as FundsDetails }
}

/** As they were checked when they were sent. */
function answersOf({ services }: SignedInContext, { id, sealed_answers }: Locked): unknown {
  if (sealed_answers === null) throw identityRefusals.error({ reason: 'check_erased' })
  return JSON.parse(openProof(services, id, sealed_answers).toString())
}

type Decision = { decision: CheckDecision; reason?: string | undefined; corrects?: boolean | undefined }

/**
 * Decides a check that the caller has opened. A refusal returns the person's money: pending investments are declined, and no limit of
 * their withdrawals is left (app.check_missing). Another person can correct it.
 * @param reason for the person
 * @param corrects true if the caller knows that another one has refused it
 * @throws AppError not_found, forbidden, invalid_input; check_decided, check_unopened, check_erased, name_changed, document_ended, own_refusal
 */
export async function decideCheck(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { decision, reason, corrects = false }: Decision,
): Promise<void> {
  const check = await lockCheck(tx, ctx, id)
  requireUndecided(ctx, check, { decision, corrects })
  if (decision !== 'verified' && reason === undefined)
    throw invalidField('reason', t('Enter a reason. The person will read it.'))
  await requireOpened(tx, ctx, check)
  const now = ctx.services.clock.now()
  const decided = { decision, decided_at: now, decided_by: ctx.caller.userId }
  const outcome =
    decision === 'verified'
      ? { reason: null, expires_on: lastDay(ctx, check, now) }
      : { reason: reason!, expires_on: null }
  await tx
    .updateTable('app.identity_checks')
    .set({ ...decided, ...outcome })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'identity.decided',
    subject: { kind: 'user', id: check.user_id },
    reason: reason ?? null,
    moved: [check.decision ?? 'waiting', decision],
    details: { check: id, kind: check.kind },
  })
  if (decision === 'refused') await declinePending(tx, ctx, check.user_id, reason!)
  await notifyOfCheck(tx, `check.${decision}`, check, now)
}

/** Only a refusal is corrected, by another person who knows of it, so that its person can try again. */
function requireUndecided(
  { caller }: SignedInContext,
  check: Locked,
  { decision, corrects }: { decision: CheckDecision; corrects: boolean },
): void {
  if (check.decision === null) return
  if (check.decision !== 'refused' || decision !== 'returned')
    throw identityRefusals.error({ reason: 'check_decided' })
  if (check.decided_by === caller.userId) throw identityRefusals.error({ reason: 'own_refusal' })
  if (!corrects) throw identityRefusals.error({ reason: 'check_decided' })
}

async function requireOpened(tx: Tx, { caller }: SignedInContext, { id, user_id }: Locked): Promise<void> {
  const opened = await tx
    .selectFrom('app.audit_log')
    .select('id')
    .where('subject_id', '=', user_id)
    .where('action', '=', 'identity.opened')
    .where('actor_id', '=', caller.userId)
    .where(eb => eb(eb.ref('details', '->>').key('check'), '=', id))
    .limit(1)
    .executeTakeFirst()
  if (!opened) throw identityRefusals.error({ reason: 'check_unopened' })
}

/** The last day on which it counts: some years from now, or the document's last day. */
function lastDay(ctx: SignedInContext, check: Locked, now: Date): string {
  if (check.name !== check.user_name) throw identityRefusals.error({ reason: 'name_changed' })
  const end = new Date(now)
  end.setUTCFullYear(end.getUTCFullYear() + identityValidYears)
  const latest = dayOf(end)
  if (check.kind === 'funds') return latest
  const { ends } = answersOf(ctx, check) as IdentityDetails
  if (ends < dayOf(now)) throw identityRefusals.error({ reason: 'document_ended' })
  return earlier(ends, latest)
}

/** Of two days as 2026-01-31. */
const earlier = (one: string, other: string): string => [one, other].toSorted()[0]!

async function declinePending(tx: Tx, ctx: SignedInContext, userId: string, reason: string): Promise<void> {
  const pending = await tx
    .selectFrom('app.investments')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .execute()
  for (const { id } of pending) await declineInvestment(tx, ctx, id, reason)
}
