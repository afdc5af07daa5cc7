import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { screeningMatches, screeningPage, screeningSeconds } from '#shared/limits.ts'
import { hitsOf, type ListedName, type ListKind, type NameHit } from './names/matcher.ts'

type Sources = Pick<Services, 'db' | 'clock' | 'log'>
type Person = { id: string; name: string }
type Compared = Person & { hits: NameHit[] }
/** A place in the order of comparing. */
type Place = { through: number; id: string }
const beginning: Place = { through: -1, id: '00000000-0000-0000-0000-000000000000' }

/** `search`: compares the names of a page. */
type Options = { signal?: AbortSignal; page?: number; search?: typeof hitsOf }

/** Of each kind: how far an account was compared. */
const progress = { sanctions: sql.ref('through'), pep: sql.ref('pep_through') }
const kinds = Object.keys(progress) as ListKind[]

/**
 * Compares the names of all accounts that are not closed with the lists in force, each name once with each import of a kind, and
 * stores what is alike for staff to decide. Ends after some seconds, or once there is another import: a job goes on each minute, with the
 * new and changed names first. Each kind has a thread of its own, so neither waits for the other, nor fails with it.
 * @returns how many names were compared, and how many matches are new; a name that could not be compared is logged and stays due
 * @throws Error of a kind, once the other has ended; it is logged too
 */
export async function screenPeople(
  sources: Sources,
  { signal, page = screeningPage, search = hitsOf }: Options = {},
): Promise<{ screened: number; found: number }> {
  const until = performance.now() + screeningSeconds * 1_000
  const goesOn = () => performance.now() < until && signal?.aborted !== true
  const runs = await Promise.allSettled(
    kinds.map(kind => screenKind(sources, kind, { goesOn, page, search }).catch(logFailure(sources, kind))),
  )
  const done = { screened: 0, found: 0 }
  for (const run of runs) {
    if (run.status === 'rejected') throw run.reason
    done.screened += run.value.screened
    done.found += run.value.found
  }
  return done
}

/** The job fails with one error, so each is logged. */
function logFailure({ log }: Sources, kind: ListKind) {
  return (error: unknown): never => {
    log.error({ err: error, kind }, 'could not compare names with the lists')
    throw error
  }
}

type Run = { goesOn: () => boolean; page: number; search: typeof hitsOf }

async function screenKind(sources: Sources, kind: ListKind, { goesOn, page, search }: Run) {
  const done = { screened: 0, found: 0 }
  const newest = await newestImport(sources.db, kind)
  if (newest === undefined) return done
  let after = beginning
  while (goesOn()) {
    const { people, last } = await dueAfter(sources.db, newest, { after, page })
    if (last === undefined) break
    after = last
    const compared = await compare(sources, { newest, people, search })
    // A list was imported meanwhile.
    if (compared === null || (await newestImport(sources.db, kind))?.through !== newest.through) break
    done.screened += compared.length
    for (const part of inParts(compared)) done.found += await storePart(sources, part, newest)
  }
  return done
}

function storePart({ db, clock }: Sources, part: readonly Compared[], newest: Newest): Promise<number> {
  return retrying(() => db.transaction().execute(tx => store(tx, part, { ...newest, now: clock.now() })))
}

/** The newest import of a kind, and a key of what is in force of it, also among several databases and after a restore of one. */
type Newest = { kind: ListKind; through: number; key: string }

async function newestImport(db: Kysely<Schema>, kind: ListKind): Promise<Newest | undefined> {
  const { rows } = await sql<Omit<Newest, 'kind'>>`
    SELECT max(id) AS through, concat_ws(' ', current_database(), max(id), max(imported_at)) AS key
      FROM app.list_imports WHERE (list = 'pep') = ${kind === 'pep'} HAVING count(*) > 0`.execute(db)
  return rows[0] && { kind, ...rows[0] }
}

/** The next names that were compared with no import yet, or with older ones only. Those without a partner were closed meanwhile. */
async function dueAfter(
  db: Kysely<Schema>,
  { kind, through }: Newest,
  { after, page }: { after: Place; page: number },
) {
  const done = progress[kind]
  const { rows } = await sql<Place & { name: string | null }>`
    WITH due AS MATERIALIZED (
      SELECT ${done} AS through, user_id FROM app.name_screenings
       WHERE ${done} < ${through} AND (${done}, user_id) > (${after.through}, ${after.id}::uuid)
       ORDER BY ${done}, user_id LIMIT ${page})
    SELECT due.through, due.user_id AS id, u.name
      FROM due LEFT JOIN app.users u ON u.id = due.user_id AND u.closed_at IS NULL
     ORDER BY due.through, due.user_id`.execute(db)
  const people = rows.flatMap(({ id, name }) => (name === null ? [] : [{ id, name }]))
  return { people, last: rows.at(-1) }
}

/**
 * The people with what their names are like.
 * @returns without those whose names cannot be compared; null if there are newer lists
 */
async function compare(
  { db, log }: Sources,
  { newest, people, search }: { newest: Newest; people: readonly Person[]; search: typeof hitsOf },
): Promise<Compared[] | null> {
  const { kind, through, key } = newest
  const names = people.map(({ name }) => name)
  const found = await search(key, names, () => listedNames(db, through, kind), kind)
  if (found === null) return null
  return people.flatMap((person, n): Compared[] => {
    const hits = found[n]!
    if (!(hits instanceof Error)) return [{ ...person, hits }]
    log.error({ err: hits, user: person.id, kind }, 'could not compare a name with the lists')
    return []
  })
}

/** People in parts, none of them with many more matches than a transaction stores. */
function inParts(compared: readonly Compared[]): Compared[][] {
  const parts: Compared[][] = []
  let matches = Number.POSITIVE_INFINITY
  for (const person of compared) {
    if (matches + person.hits.length > screeningMatches) {
      parts.push([])
      matches = 0
    }
    parts.at(-1)!.push(person)
    matches += person.hits.length
  }
  return parts
}

/** The names of people and organisations in force, weak ones too; null once there is a newer import. */
async function listedNames(
  db: Kysely<Schema>,
  through: number,
  kind: ListKind,
): Promise<ListedName[] | null> {
  // One statement, so that an import does not come in between.
  const { rows } = await sql<ListedName & { newest: number }>`
    SELECT e.list, e.entry, named.name, (SELECT max(id) FROM app.list_imports i WHERE (i.list = 'pep') = ${kind === 'pep'}) AS newest
      FROM app.list_entries e CROSS JOIN unnest(e.names || e.weak) AS named (name)
     WHERE e.removed_by IS NULL AND e.kind IN ('person', 'organisation')
       AND (e.list = 'pep') = ${kind === 'pep'}`.execute(db)
  if (rows.some(({ newest }) => newest !== through)) return null
  return rows.map(({ list, entry, name }) => ({ list, entry, name }))
}

type Screening = Pick<Newest, 'kind' | 'through'> & { now: Date }

/** @returns how many matches are new */
async function store(
  tx: Tx,
  compared: readonly Compared[],
  { kind, through, now }: Screening,
): Promise<number> {
  const current = await unchanged(tx, compared, { kind, through })
  const matches = current.flatMap(({ id, name, hits }) =>
    hits.map(hit => ({ user: id, userName: name, ...hit })),
  )
  const found = await storeMatches(tx, matches, { through, now })
  await sql`
    UPDATE app.name_screenings SET ${progress[kind]} = ${through}
     WHERE user_id = ANY (${current.map(({ id }) => id)}::uuid[])`.execute(tx)
  return found
}

/** Those who still bear the name and are still due. A change of the name waits for their rows, and then makes them due again. */
async function unchanged(
  tx: Tx,
  compared: readonly Compared[],
  { kind, through }: Pick<Newest, 'kind' | 'through'>,
): Promise<Compared[]> {
  const ids = compared.map(({ id }) => id)
  // In the order in which a change of the name, or a closing, locks them.
  await sql`SELECT FROM app.users WHERE id = ANY (${ids}::uuid[]) ORDER BY id FOR KEY SHARE`.execute(tx)
  await sql`
    SELECT FROM app.name_screenings WHERE user_id = ANY (${ids}::uuid[]) ORDER BY user_id FOR UPDATE`.execute(
    tx,
  )
  const { rows } = await sql<Person>`
    SELECT u.id, u.name FROM app.name_screenings s JOIN app.users u ON u.id = s.user_id
     WHERE s.user_id = ANY (${ids}::uuid[]) AND s.${progress[kind]} < ${through}`.execute(tx)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return compared.filter(({ id, name }) => names.get(id) === name)
}

type Match = NameHit & { user: string; userName: string }

/**
 * Of each person and entry the best name that staff have not compared: whatever names an entry had when a match was found, they have
 * compared them all.
 */
async function storeMatches(
  tx: Tx,
  matches: readonly Match[],
  { through, now }: Omit<Screening, 'kind'>,
): Promise<number> {
  if (matches.length === 0) return 0
  const { rows } = await sql`
    INSERT INTO app.name_matches (id, user_id, user_name, list, entry, listed_name, score, found_by, found_at)
    SELECT DISTINCT ON (f.user_id, f.list, f.entry)
           f.id, f.user_id, f.user_name, f.list, f.entry, f.listed_name, f.score, ${through}::integer, ${now}::timestamptz
      FROM unnest(${matches.map(() => newId(now))}::uuid[], ${matches.map(({ user }) => user)}::uuid[],
                  ${matches.map(({ userName }) => userName)}::text[], ${matches.map(({ list }) => list)}::text[],
                  ${matches.map(({ entry }) => entry)}::text[], ${matches.map(({ name }) => name)}::text[],
                  ${matches.map(({ score }) => Math.round(score * 100))}::smallint[])
             WITH ORDINALITY AS f (id, user_id, user_name, list, entry, listed_name, score, place)
     WHERE NOT EXISTS (
             SELECT FROM app.name_matches m
               JOIN app.list_entries e ON e.list = m.list AND e.entry = m.entry AND e.added_by <= m.found_by
                                           AND (e.removed_by IS NULL OR e.removed_by > m.found_by)
              WHERE m.user_id = f.user_id AND m.user_name = f.user_name AND m.list = f.list AND m.entry = f.entry
                AND f.listed_name = ANY (e.names || e.weak))
     ORDER BY f.user_id, f.list, f.entry, f.place
        ON CONFLICT DO NOTHING
    RETURNING id`.execute(tx)
  return rows.length
}
