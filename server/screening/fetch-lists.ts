import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { listHour, listShareFetched } from '#shared/limits.ts'
import { type NameList, nameLists } from '#shared/sanctions.ts'
import { download, type FileVersion, Unreachable } from './download.ts'
import { ImportUnderWay, importList } from './import.ts'
import { UnreadableList } from './lists/list.ts'

const DAY_MS = 86_400_000
/** Of why a list cannot be read, for the console. */
const MOST_CHARACTERS = 500

type Sources = Pick<Services, 'db' | 'clock' | 'log' | 'config'>

/**
 * Fetches the lists that have an address and were not checked today, counted from `listHour` (UTC). One that cannot be fetched is tried
 * again at the next run; one whose file is refused, the next day. Neither stops the others, and both are told to staff, while the list has
 * an address.
 */
export async function fetchLists(sources: Sources, signal?: AbortSignal): Promise<void> {
  const { config, db, clock } = sources
  const addressed = nameLists.filter(list => config.listAddresses[list] !== undefined)
  await forgetFailuresOf(
    db,
    nameLists.filter(list => !addressed.includes(list)),
  )
  for (const list of await dueOf(db, addressed, beginningOfDay(clock.now()))) {
    if (signal?.aborted) return
    await fetchList(sources, list, signal)
  }
}

/** What nobody fetches any more does not fail any more. A file in force stays, and gets old. */
async function forgetFailuresOf(db: Kysely<Schema>, lists: readonly NameList[]): Promise<void> {
  await sql`
    UPDATE app.list_fetches SET failing_since = NULL, failure = NULL, refused_at = NULL
     WHERE list = ANY (${lists}::text[]) AND failing_since IS NOT NULL`.execute(db)
}

function beginningOfDay(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(listHour, 0, 0, 0)
  return today <= now ? today : new Date(today.getTime() - DAY_MS)
}

async function dueOf(db: Kysely<Schema>, lists: readonly NameList[], since: Date): Promise<NameList[]> {
  const done = await db
    .selectFrom('app.list_fetches')
    .select('list')
    .where(sql<boolean>`greatest(checked_at, refused_at) >= ${since}`)
    .execute()
  return lists.filter(list => !done.some(row => row.list === list))
}

async function fetchList(
  { db, clock, log, config }: Sources,
  list: NameList,
  signal: AbortSignal | undefined,
): Promise<void> {
  const begun = clock.now()
  try {
    const downloaded = await download(config.listAddresses[list]!, {
      known: await versionOf(db, list),
      ...(signal && { signal }),
    })
    if (downloaded === null) {
      await recordUnchanged(db, list, clock.now())
      return
    }
    const { content, version } = downloaded
    const outcome = await importList({ db, clock }, list, content, { leastShare: listShareFetched, version })
    if (!outcome.unchanged) log.info({ list, ...outcome }, 'imported a list')
  } catch (error) {
    // A worker that stops says nothing about the list.
    if (signal?.aborted) return
    if (error instanceof ImportUnderWay) {
      log.info({ list }, 'another list is being imported, so this one is fetched later')
      return
    }
    log.error({ err: error, list }, 'could not fetch a list')
    await recordFailure(db, list, { error: error as Error, begun, now: clock.now() })
  }
}

async function versionOf(db: Kysely<Schema>, list: NameList): Promise<FileVersion | undefined> {
  const row = await db
    .selectFrom('app.list_fetches')
    .select(['source', 'etag', 'last_modified'])
    .where('list', '=', list)
    .executeTakeFirst()
  if (!row?.source || (row.etag === null && row.last_modified === null)) return undefined
  return { source: row.source, etag: row.etag, lastModified: row.last_modified }
}

async function recordUnchanged(db: Kysely<Schema>, list: NameList, now: Date): Promise<void> {
  await db
    .updateTable('app.list_fetches')
    .set({ checked_at: now, failing_since: null, failure: null, refused_at: null })
    .where('list', '=', list)
    .execute()
}

/**
 * A file that is refused does not take the place of the one in force, why it was refused stays until a file is accepted, and a failure
 * says nothing about a file that was read since it began.
 */
async function recordFailure(
  db: Kysely<Schema>,
  list: NameList,
  { error, begun, now }: { error: Error; begun: Date; now: Date },
): Promise<void> {
  const refused = error instanceof UnreadableList ? now : null
  const isKnown = refused !== null || error instanceof Unreachable
  const failure = isKnown ? error.message.slice(0, MOST_CHARACTERS) : 'The worker’s log says why.'
  await sql`
    INSERT INTO app.list_fetches (id, list, failing_since, failure, refused_at)
    VALUES (${newId(now)}, ${list}, ${now}, ${failure}, ${refused})
        ON CONFLICT (list) DO UPDATE SET failing_since = coalesce(list_fetches.failing_since, EXCLUDED.failing_since),
           failure = CASE WHEN EXCLUDED.refused_at IS NULL AND list_fetches.refused_at IS NOT NULL
                          THEN list_fetches.failure ELSE EXCLUDED.failure END,
           refused_at = coalesce(EXCLUDED.refused_at, list_fetches.refused_at)
         WHERE list_fetches.checked_at IS NULL OR list_fetches.checked_at < ${begun}`.execute(db)
}
