import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { countWithin } from '#server/platform/rate-limit.ts'
import type { FundsDetails, IdentityDetails } from '#shared/contract/identity.ts'
import { AppError, invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import {
  birthError,
  type CheckKind,
  documentError,
  filesFor,
  type IdentityFileKind,
} from '#shared/identity.ts'
import { identityChecksPerDay } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { eraseCheck } from './erase.ts'
import { unsentFiles } from './files.ts'
import { identityRefusals } from './messages.ts'
import { keepReturned } from './returned.ts'
import { sealProof } from './sealed.ts'
import { levelOf, requireCustomer, requireNoSession } from './standing.ts'

const daySeconds = 86_400

/**
 * Sends a proof of identity with the files uploaded for it.
 * @param kept files of a returned one that are sent again
 * @returns its id
 * @throws AppError invalid_input; session_open, check_waiting, kept_deleted, file_missing, identity_refused; rate_limited
 */
export async function sendIdentity(
  tx: Tx,
  ctx: SignedInContext,
  details: IdentityDetails,
  kept: readonly string[] = [],
): Promise<string> {
  const today = dayOf(ctx.services.clock.now())
  const birth = birthError(details.birth, today)
  if (birth) throw invalidField('birth', birth)
  const ends = documentError(details.ends, today)
  if (ends) throw invalidField('ends', ends)
  const needed = filesFor({ kind: 'identity', document: details.document })
  return send(tx, ctx, 'identity', { answers: details, needed, kept })
}

/**
 * Sends where the caller's money comes from, with the files uploaded for it.
 * @param kept files of a returned one that are sent again
 * @returns its id
 * @throws AppError identity_first, check_waiting, kept_deleted, files_full, file_missing, identity_refused; rate_limited
 */
export async function sendFunds(
  tx: Tx,
  ctx: SignedInContext,
  details: FundsDetails,
  kept: readonly string[] = [],
): Promise<string> {
  const { level } = await levelOf(tx, ctx.caller.userId)
  if (level === 'none') throw identityRefusals.error({ reason: 'identity_first' })
  return send(tx, ctx, 'funds', { answers: details, needed: filesFor({ kind: 'funds' }), kept })
}

type Sent = { answers: object; needed: ReturnType<typeof filesFor>; kept: readonly string[] }

async function send(
  tx: Tx,
  ctx: SignedInContext,
  kind: CheckKind,
  { answers, needed, kept }: Sent,
): Promise<string> {
  const { services, caller } = ctx
  const { name } = await tx
    .selectFrom('app.users')
    .select('name')
    .where('id', '=', caller.userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  await requireCustomer(tx, caller.userId)
  await requireNoneWaiting(tx, caller.userId, kind)
  if (kind === 'identity') await requireNoSession(tx, caller.userId)
  await keepReturned(tx, ctx, kind, kept)
  const files = await completeFiles(tx, caller.userId, needed)
  await countChecks(tx, ctx)
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.identity_checks')
    .values({
      id,
      user_id: caller.userId,
      kind,
      user_name: name,
      sealed_answers: sealProof(services, id, Buffer.from(JSON.stringify(answers))),
      submitted_at: now,
    })
    .execute()
  await tx.updateTable('app.identity_files').set({ check_id: id }).where('id', 'in', files).execute()
  const subject = { kind: 'user', id: caller.userId }
  await audit(tx, ctx, { action: 'identity.sent', subject, details: { check: id, kind } })
  return id
}

/** @throws AppError rate_limited */
export async function countChecks(tx: Tx, { services, caller }: SignedInContext): Promise<void> {
  await countWithin(tx, services.config, `identity:${caller.userId}`, {
    points: identityChecksPerDay,
    seconds: daySeconds,
    what: t('You can send a proof {count} times a day', { count: identityChecksPerDay }),
  })
}

/** @throws AppError check_waiting */
export async function requireNoneWaiting(tx: Tx, userId: string, kind: CheckKind): Promise<void> {
  const waiting = await tx
    .selectFrom('app.identity_checks')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('decided_at', 'is', null)
    .executeTakeFirst()
  if (waiting) throw identityRefusals.error({ reason: 'check_waiting' })
}

/**
 * The ids of the files that a check needs; others that were uploaded stay unsent.
 * @throws AppError file_missing
 */
async function completeFiles(tx: Tx, userId: string, needed: ReturnType<typeof filesFor>): Promise<string[]> {
  const uploaded = Map.groupBy(await unsentFiles(tx, userId), ({ kind }) => kind)
  const kinds = Object.entries(needed) as [IdentityFileKind, { least: number }][]
  return kinds.flatMap(([kind, { least }]) => {
    const files = uploaded.get(kind) ?? []
    if (files.length < least) throw identityRefusals.error({ reason: 'file_missing', kind }, kind)
    return files.map(({ id }) => id)
  })
}

/**
 * Cancels a proof that nobody has decided; all that was sent with it is deleted.
 * @throws AppError forbidden, alike for another's and for an unknown id (D8); check_decided
 */
export async function cancelCheck(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { userId } = ctx.caller
  const check = await tx
    .selectFrom('app.identity_checks')
    .select(['kind', 'decided_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!check) throw new AppError('forbidden', t('You can only cancel what you sent yourself.'))
  if (check.decided_at !== null) throw identityRefusals.error({ reason: 'check_decided' })
  const now = ctx.services.clock.now()
  await tx
    .updateTable('app.identity_checks')
    .set({ decision: 'cancelled', decided_at: now, decided_by: userId })
    .where('id', '=', id)
    .execute()
  await eraseCheck(tx, id, now)
  const subject = { kind: 'user', id: userId }
  await audit(tx, ctx, { action: 'identity.cancelled', subject, details: { check: id, kind: check.kind } })
}
