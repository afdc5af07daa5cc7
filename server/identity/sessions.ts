import { z } from 'zod'
import { asSystem, audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { defineTask, enqueue, priorities } from '#server/platform/queue.ts'
import type { OwnIdentity } from '#shared/contract/identity.ts'
import type { SessionOutcome } from '#shared/identity.ts'
import { sessionsPerRun } from '#shared/limits.ts'
import { identityRefusals } from './messages.ts'
import { openProof, sealProof } from './sealed.ts'
import { countChecks, requireNoneWaiting } from './send.ts'
import { openSessionOf, requireCustomer, requireNoSession } from './standing.ts'
import { createSession, decisionOf, type VeriffDecision } from './veriff.ts'

export const prepareSession = defineTask('prepare_identity_session', z.object({ id: z.string() }))

/**
 * Asks for a session with the provider, which a job prepares.
 * @throws AppError no_provider, session_open, check_waiting, identity_refused; rate_limited
 */
export async function startSession(tx: Tx, ctx: SignedInContext): Promise<void> {
  const { services, caller } = ctx
  if (services.config.identityProvider === null) throw identityRefusals.error({ reason: 'no_provider' })
  await tx.selectFrom('app.users').select('id').where('id', '=', caller.userId).forNoKeyUpdate().execute()
  await requireCustomer(tx, caller.userId)
  await requireNoneWaiting(tx, caller.userId, 'identity')
  await requireNoSession(tx, caller.userId)
  await countChecks(tx, ctx)
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.identity_sessions')
    .values({ id, user_id: caller.userId, provider: 'veriff', requested_at: now })
    .execute()
  await enqueue(tx, prepareSession, { id }, null, priorities.first)
  const subject = { kind: 'user', id: caller.userId }
  await audit(tx, ctx, { action: 'identity.session_started', subject, details: { session: id } })
}

/** @throws AppError no_session */
export async function cancelSession(tx: Tx, ctx: SignedInContext): Promise<void> {
  const { userId } = ctx.caller
  const open = await openSessionOf(tx, userId)
  if (!open) throw identityRefusals.error({ reason: 'no_session' })
  await endSession(tx, open.id, 'cancelled', ctx.services.clock.now())
  const subject = { kind: 'user', id: userId }
  await audit(tx, ctx, { action: 'identity.session_cancelled', subject, details: { session: open.id } })
}

/** False if it has ended meanwhile. */
async function endSession(tx: Tx, id: string, outcome: SessionOutcome, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('app.identity_sessions')
    .set({ ended_at: now, outcome, sealed_url: null })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Creates the session at the provider. A second one of a job that ran twice expires there, unused. */
export async function prepare(services: Services, id: string): Promise<void> {
  const { config, db } = services
  const row = await db
    .selectFrom('app.identity_sessions')
    .select('provider_id')
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (!row || row.provider_id !== null || config.identityProvider === null) return
  const callback = `${config.publicUrl}/dashboard/identity`
  const session = await createSession(config.identityProvider, { id, callback })
  await db
    .updateTable('app.identity_sessions')
    .set({ provider_id: session.id, sealed_url: sealProof(services, id, Buffer.from(session.url)) })
    .where('id', '=', id)
    .where('provider_id', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
}

/**
 * Asks the provider about open sessions, those first that wait longest. What it approved becomes a check, which staff decide.
 * @returns how many ended
 */
export async function readDecisions(services: Services, most = sessionsPerRun): Promise<number> {
  const { config, db, log } = services
  const { identityProvider } = config
  if (identityProvider === null) return endAllSessions(services)
  let ended = 0
  for (const { id, provider_id } of await sessionsToAsk(services, most)) {
    try {
      const decision = await decisionOf(identityProvider, provider_id!)
      if (decision === null) continue
      if (await db.transaction().execute(tx => take(tx, services, id, decision))) ended += 1
    } catch (err) {
      log.warn({ err, session: id }, 'the decision of an identity session could not be read')
    }
  }
  return ended
}

/** Those that this run asks about; the next one begins with others. */
async function sessionsToAsk({ db, clock }: Services, most: number) {
  return db
    .updateTable('app.identity_sessions')
    .set({ asked_at: clock.now() })
    .where('id', 'in', eb =>
      eb
        .selectFrom('app.identity_sessions')
        .select('id')
        .where('ended_at', 'is', null)
        .where('provider_id', 'is not', null)
        .orderBy('asked_at', order => order.asc().nullsFirst())
        .orderBy('id')
        .limit(most),
    )
    .returning(['id', 'provider_id'])
    .execute()
}

/** Nobody reads the outcomes of a provider that is no longer configured, and an open session keeps its owner from the form. */
async function endAllSessions({ db, clock }: Services): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('app.identity_sessions')
    .set({ ended_at: clock.now(), outcome: 'expired', sealed_url: null })
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Ends a session as the provider decided; what it approved becomes a check. False if it has ended meanwhile. */
async function take(tx: Tx, services: Services, id: string, decision: VeriffDecision): Promise<boolean> {
  const now = services.clock.now()
  if (!(await endSession(tx, id, decision.outcome, now))) return false
  if (decision.details === null) return true
  const { user_id, name } = await tx
    .selectFrom('app.identity_sessions as s')
    .innerJoin('app.users as u', 'u.id', 's.user_id')
    .select(['s.user_id', 'u.name'])
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow()
  const check = newId(now)
  await tx
    .insertInto('app.identity_checks')
    .values({
      id: check,
      user_id,
      session_id: id,
      kind: 'identity',
      user_name: name,
      sealed_answers: sealProof(services, check, Buffer.from(JSON.stringify(decision.details))),
      submitted_at: now,
    })
    .execute()
  const subject = { kind: 'user', id: user_id }
  const details = { check, kind: 'identity', session: id }
  await audit(tx, asSystem(services), { action: 'identity.sent', subject, details })
  return true
}

/** What a person sees of the provider. */
export async function ownProvider(
  { config, db }: Services,
  userId: string,
): Promise<OwnIdentity['provider']> {
  if (config.identityProvider === null) return null
  const open = await openSessionOf(db, userId)
  const last = await db
    .selectFrom('app.identity_sessions')
    .select('outcome')
    .where('user_id', '=', userId)
    .where('ended_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    name: 'Veriff',
    session: open
      ? {
          url: open.sealed_url && openProof({ config }, open.id, open.sealed_url).toString(),
          requestedAt: open.requested_at.toISOString(),
        }
      : null,
    last: last?.outcome ?? null,
  }
}
