import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { audit } from '#server/audit/log.ts'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { countWithin } from '#server/platform/rate-limit.ts'
import { localTimes } from '#server/platform/zones.ts'
import { inBatchTurn } from '#server/queries/file-turns.ts'
import { streamed } from '#server/queries/table-csv.ts'
import { archivesPerDay } from '#shared/limits.ts'
import { accountTables } from './account-tables.ts'
import { identity, identityFiles } from './identity.ts'
import { messageFiles, messages } from './messages.ts'
import { moneyTables } from './money-tables.ts'
import { letters, yearlyStatements } from './papers.ts'
import { readmeOf } from './readme.ts'
import type { ArchiveTable, Source } from './table.ts'
import { asCsv, asJson } from './writing.ts'
import { type ZipFile, zipped } from './zip.ts'

/** All tables of an archive, in the order of its README. */
export const archiveTables: readonly ArchiveTable[] = [...accountTables, ...moneyTables, identity, messages]

const daySeconds = 86_400

/**
 * All that we hold about the caller as one ZIP, read in one snapshot while it is sent (docs/decisions/0160-all-my-data.md).
 * @param zone of the yearly statements and letters
 * @throws AppError proof_required, rate_limited; not_ready if too many exports hold connections
 */
export async function archiveOf(ctx: SignedInContext, zone: string): Promise<FileAnswer> {
  const { services, caller } = ctx
  await requireReauthentication(services.db, ctx)
  const content = await streamed(
    ctx,
    tx => recordDownload(tx, ctx),
    () => inTurns(ctx, zipped(filesOf(ctx, caller.userId, zone), services.clock.now())),
  )
  return { name: `all-my-data-${localTimes(zone)(services.clock.now()).day}.zip`, content }
}

/** The owner learns of it, because a thief of the session would take it too. */
async function recordDownload(tx: Tx, ctx: SignedInContext): Promise<void> {
  const { userId } = ctx.caller
  await countWithin(tx, ctx.services.config, `archive:${userId}`, {
    points: archivesPerDay,
    seconds: daySeconds,
    what: `You can download your data ${archivesPerDay} times a day`,
  })
  await audit(tx, ctx, { action: 'account.data_downloaded', subject: { kind: 'user', id: userId } })
  await notifySecurity(tx, ctx, 'account.data_downloaded', { userId })
}

async function* filesOf(ctx: SignedInContext, userId: string, zone: string): AsyncGenerator<ZipFile> {
  const { db } = await readerOf(ctx.services)
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  try {
    const source: Source = { tx, userId, now: ctx.services.clock.now(), config: ctx.services.config }
    yield { name: 'README.txt', parts: [Buffer.from(await readmeOf(ctx, source, zone, archiveTables))] }
    for (const table of archiveTables) {
      yield { name: `data/${table.name}.json`, parts: asJson(table, source) }
      yield { name: `data/${table.name}.csv`, parts: asCsv(table, source) }
    }
    yield* messageFiles(source)
    yield* identityFiles(source)
    yield* yearlyStatements(ctx, source, zone)
    yield* letters(ctx, source, zone)
  } finally {
    await tx.rollback().execute()
  }
}

/** Each part is read and written in its turn, so that archives never keep requests waiting. */
async function* inTurns(
  { services: { pool } }: SignedInContext,
  parts: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { value, done } = await inBatchTurn(pool, () => parts.next())
      if (done) return
      yield value
    }
  } finally {
    await parts.return(undefined)
  }
}
