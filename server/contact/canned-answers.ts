import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { isTaken, lockVersions, requireLatestVersion } from '#server/queries/versions.ts'
import type { CannedAnswer } from '#shared/contract/canned-answers.ts'
import { AppError, invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumAnswers } from '#shared/limits.ts'
import { contactRefusals } from './messages.ts'

type Wording = { title: string; text: string }

/** All prepared answers, by title. */
export async function cannedAnswers(db: Kysely<Schema>, id?: string): Promise<CannedAnswer[]> {
  const rows = await db
    .selectFrom('app.canned_answers as a')
    .innerJoin('app.users as u', 'u.id', 'a.changed_by')
    .select(['a.id', 'a.title', 'a.text', 'a.version', 'a.changed_at', 'u.name'])
    .$if(id !== undefined, found => found.where('a.id', '=', id!))
    .orderBy(sql`lower(a.title)`)
    .execute()
  return rows.map(({ id, title, text, version, changed_at, name }) => ({
    _id: id,
    title,
    text,
    version,
    changedAt: changed_at.toISOString(),
    changedBy: name,
  }))
}

/**
 * Prepares an answer for all staff who answer messages.
 * @returns its id
 * @throws AppError too_many_answers; invalid_input if another one has its title
 */
export async function addAnswer(tx: Tx, ctx: SignedInContext, { title, text }: Wording): Promise<string> {
  // One at a time, so that two cannot pass the limit together.
  await lockVersions(tx, 'answers')
  const { count } = await tx
    .selectFrom('app.canned_answers')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= maximumAnswers) throw contactRefusals.error({ reason: 'too_many_answers' })
  const id = newId(ctx.services.clock.now())
  await tx
    .insertInto('app.canned_answers')
    .values({ id, title, text, version: 1, ...changedBy(ctx) })
    .execute()
    .catch(refuseTaken)
  const subject = { kind: 'answer', id }
  await audit(tx, ctx, { action: 'answer.added', subject, details: { after: { title, text } } })
  return id
}

/** @throws AppError not_found; changed_meanwhile; invalid_input if another one has its title */
export async function changeAnswer(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { title, text, version }: Wording & { version: number },
): Promise<void> {
  const before = await lockAnswer(tx, id, version)
  await tx
    .updateTable('app.canned_answers')
    .set({ title, text, version: version + 1, ...changedBy(ctx) })
    .where('id', '=', id)
    .execute()
    .catch(refuseTaken)
  const details = { before, after: { title, text } }
  await audit(tx, ctx, { action: 'answer.changed', subject: { kind: 'answer', id }, details })
}

/** @throws AppError not_found; changed_meanwhile */
export async function deleteAnswer(tx: Tx, ctx: SignedInContext, id: string, version: number): Promise<void> {
  const before = await lockAnswer(tx, id, version)
  await tx.deleteFrom('app.canned_answers').where('id', '=', id).execute()
  await audit(tx, ctx, { action: 'answer.deleted', subject: { kind: 'answer', id }, details: { before } })
}

async function lockAnswer(tx: Tx, id: string, seen: number): Promise<Wording> {
  const found = await tx
    .selectFrom('app.canned_answers')
    .select(['title', 'text', 'version'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', t('Prepared answer not found'))
  const { version, ...wording } = found
  requireLatestVersion(version, seen, 'answer')
  return wording
}

function changedBy({ caller, services }: SignedInContext) {
  return { changed_by: caller.userId, changed_at: services.clock.now() }
}

function refuseTaken(error: unknown): never {
  throw isTaken(error, 'canned_answers_title')
    ? invalidField('title', t('Another answer has this title'))
    : error
}
