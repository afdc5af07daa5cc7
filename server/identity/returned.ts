import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { FundsDetails, returnedCheck as returnedCall } from '#shared/contract/identity.ts'
import { type CheckKind, isSingle } from '#shared/identity.ts'
import { filesOfCheck, storeFile, unsentFiles } from './files.ts'
import { identityRefusals } from './messages.ts'
import { openProof } from './sealed.ts'

type Returned = CallData<typeof returnedCall>
const nothing: Returned = { identity: null, funds: null, files: [] }

/** The answers that were returned to an account's owner and nobody has corrected or deleted since. */
async function returnedTo(db: Kysely<Schema>, userId: string, kind: CheckKind) {
  const newest = await db
    .selectFrom('app.identity_checks')
    .select(['id', 'decision', 'sealed_answers'])
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where(({ eb, or }) => or([eb('decision', 'is', null), eb('decision', '<>', 'cancelled')]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.decision === 'returned' && newest.sealed_answers !== null
    ? { id: newest.id, sealed: newest.sealed_answers }
    : undefined
}

/** What the caller sent and we returned, so that they correct it without typing it again. The audit log keeps who opened it. */
export function openReturned(ctx: SignedInContext, kind: CheckKind): Promise<Returned> {
  const { services, caller } = ctx
  return services.db.transaction().execute(async tx => {
    const check = await returnedTo(tx, caller.userId, kind)
    if (check === undefined) return nothing
    const answers: unknown = JSON.parse(openProof(services, check.id, check.sealed).toString())
    const subject = { kind: 'user', id: caller.userId }
    await audit(tx, ctx, { action: 'identity.returned_opened', subject, details: { check: check.id, kind } })
    const files = await filesOfCheck(tx, check.id)
    return kind === 'identity'
      ? { identity: answers as Returned['identity'], funds: null, files }
      : { identity: null, funds: answers as FundsDetails, files }
  })
}

/**
 * Stores copies of returned files, so that they are sent again with the corrected answers; one that a new file replaces stays behind.
 * @param kept ids of files of the check that was returned to the caller
 * @throws AppError kept_deleted; files_full
 */
export async function keepReturned(
  tx: Tx,
  ctx: SignedInContext,
  kind: CheckKind,
  kept: readonly string[],
): Promise<void> {
  if (kept.length === 0) return
  const { services, caller } = ctx
  const check = await returnedTo(tx, caller.userId, kind)
  const files = await tx
    .selectFrom('app.identity_files')
    .select(['id', 'kind', 'type', 'sealed_content'])
    .where('check_id', '=', check?.id ?? null)
    .where('id', 'in', kept)
    .orderBy('id')
    .execute()
  if (files.length < new Set(kept).size) throw identityRefusals.error({ reason: 'kept_deleted' })
  const uploaded = new Set((await unsentFiles(tx, caller.userId)).map(file => file.kind))
  for (const { id, kind: of, type, sealed_content } of files) {
    if (isSingle(of) && uploaded.has(of)) continue
    await storeFile(tx, ctx, of, { type, content: openProof(services, id, sealed_content!) })
  }
}
