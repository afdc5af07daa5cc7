import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { screeningPage, screeningPages } from '#shared/limits.ts'
import { hitsOf, type ListedName, type NameHit } from './names/matcher.ts'

type Sources = Pick<Services, 'db' | 'clock'>
type Person = { id: string; name: string }
type Compared = Person & { hits: NameHit[] }

/**
 * Compares the names of all accounts that are not closed with the sanctions lists in force, each name once with each import, and stores
 * what is alike for staff to decide. A job repeats it every minute.
 * @returns how many names were compared, and how many matches are new
 */
export async function screenPeople({ db, clock }: Sources): Promise<{ screened: number; found: number }> {
  const done = { screened: 0, found: 0 }
  const through = await newestImport(db)
  if (through === undefined) return done
  await addMissing(db, through)
  for (let page = 0; page < screeningPages; page += 1) {
    const people = await dueAgainst(db, through)
    if (people.length === 0) break
    const names = people.map(({ name }) => name)
    const hits = await hitsOf(through, names, () => listedNames(db, through))
    // A list was imported meanwhile: the next run compares with it.
    if (hits === null) break
    const compared = people.map((person, n) => ({ ...person, hits: hits[n]! }))
    const { screened, found } = await db
      .transaction()
      .execute(tx => store(tx, compared, { through, now: clock.now() }))
    done.screened += screened
    done.found += found
  }
  return done
}

/** The newest import of all lists. */
async function newestImport(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await db
    .selectFrom('app.sanctions_imports')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/**
 * Accounts that are older than the screening get a row, before the first comparison with an import: new ones have theirs from the
 * database (0076_name_screening.sql).
 */
async function addMissing(db: Kysely<Schema>, through: string): Promise<void> {
  const { rows } = await sql`SELECT FROM app.name_screenings WHERE through = ${through} LIMIT 1`.execute(db)
  if (rows.length > 0) return
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const page = await sql<{ last: string | null }>`
      WITH page AS (SELECT id, closed_at FROM app.users WHERE id > ${after}::uuid ORDER BY id LIMIT ${screeningPage}),
           added AS (INSERT INTO app.name_screenings (user_id) SELECT id FROM page WHERE closed_at IS NULL
                     ON CONFLICT DO NOTHING)
      SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last`.execute(db)
    const { last } = page.rows[0]!
    if (last === null) return
    after = last
  }
}

/** Names that were compared with no import yet, or with older ones only: new and changed ones first. */
async function dueAgainst(db: Kysely<Schema>, through: string): Promise<Person[]> {
  const due = (condition: ReturnType<typeof sql>) => sql`
    (SELECT u.id, u.name FROM app.name_screenings s JOIN app.users u ON u.id = s.user_id
      WHERE ${condition} AND u.closed_at IS NULL LIMIT ${screeningPage})`
  const { rows } = await sql<Person>`
    ${due(sql`s.through IS NULL`)} UNION ALL ${due(sql`s.through < ${through}`)} LIMIT ${screeningPage}`.execute(
    db,
  )
  return rows
}

/** The names of people and organisations in force, weak ones too; null once there is a newer import. */
async function listedNames(db: Kysely<Schema>, through: string): Promise<ListedName[] | null> {
  // One statement, so that an import does not come in between.
  const { rows } = await sql<ListedName & { newest: string }>`
    SELECT e.list, e.entry, named.name, (SELECT id FROM app.sanctions_imports ORDER BY id DESC LIMIT 1) AS newest
      FROM app.sanctions_entries e CROSS JOIN unnest(e.names || e.weak) AS named (name)
     WHERE e.removed_by IS NULL AND e.kind IN ('person', 'organisation')`.execute(db)
  if (rows.some(({ newest }) => newest !== through)) return null
  return rows.map(({ list, entry, name }) => ({ list, entry, name }))
}

type Screening = { through: string; now: Date }

async function store(tx: Tx, compared: readonly Compared[], { through, now }: Screening) {
  await sql`SELECT pg_advisory_xact_lock(${lockKeys.nameMatches})`.execute(tx)
  const current = await unchanged(tx, compared)
  const found = await storeMatches(
    tx,
    current.flatMap(({ id, name, hits }) => hits.map(hit => ({ user: id, userName: name, ...hit }))),
    { through, now },
  )
  await sql`
    UPDATE app.name_screenings s SET name = c.name, through = ${through}, screened_at = ${now}
      FROM unnest(${current.map(({ id }) => id)}::uuid[], ${current.map(({ name }) => name)}::text[]) AS c (id, name)
     WHERE s.user_id = c.id AND (s.through IS NULL OR s.through < ${through})`.execute(tx)
  return { screened: current.length, found }
}

/** Those who still bear the name, and keep it until the transaction ends: a change of the name makes them due again. */
async function unchanged(tx: Tx, compared: readonly Compared[]): Promise<Compared[]> {
  const { rows } = await sql<Person>`
    SELECT id, name FROM app.users
     WHERE id = ANY (${compared.map(({ id }) => id)}::uuid[]) AND closed_at IS NULL
     ORDER BY id FOR SHARE`.execute(tx)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return compared.filter(({ id, name }) => names.get(id) === name)
}

type Match = NameHit & { user: string; userName: string }

/**
 * The best name of an entry may be another one when the rest of the list changes; staff have compared all names that it had before, so a
 * match is new only with a name that it did not have.
 */
async function storeMatches(tx: Tx, matches: readonly Match[], { through, now }: Screening): Promise<number> {
  if (matches.length === 0) return 0
  const { rows } = await sql`
    INSERT INTO app.name_matches (id, user_id, user_name, list, entry, listed_name, score, found_by, found_at)
    SELECT f.id, f.user_id, f.user_name, f.list, f.entry, f.listed_name, f.score, ${through}, ${now}
      FROM unnest(${matches.map(() => newId(now))}::uuid[], ${matches.map(({ user }) => user)}::uuid[],
                  ${matches.map(({ userName }) => userName)}::text[], ${matches.map(({ list }) => list)}::text[],
                  ${matches.map(({ entry }) => entry)}::text[], ${matches.map(({ name }) => name)}::text[],
                  ${matches.map(({ score }) => Math.round(score * 100))}::smallint[])
             AS f (id, user_id, user_name, list, entry, listed_name, score)
     WHERE NOT EXISTS (
             SELECT FROM app.name_matches m
               JOIN app.sanctions_entries e ON e.list = m.list AND e.entry = m.entry AND e.added_by <= m.found_by
                                           AND (e.removed_by IS NULL OR e.removed_by > m.found_by)
              WHERE m.user_id = f.user_id AND m.user_name = f.user_name AND m.list = f.list AND m.entry = f.entry
                AND f.listed_name = ANY (e.names || e.weak))
        ON CONFLICT DO NOTHING
    RETURNING id`.execute(tx)
  return rows.length
}
