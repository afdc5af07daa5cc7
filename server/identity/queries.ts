import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getCheck, IdentityCheck, OwnCheck } from '#shared/contract/identity.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { type CheckKind, type CheckStatus, checkStatuses, type IdentityFileKind } from '#shared/identity.ts'
import { filesOfCheck } from './files.ts'
import { isExposed, levelOf, waitingOf } from './standing.ts'

/** Other checks of a person, and views, on the page of one. */
const MOST_OTHERS = 100
/** Checks of their own that a person sees. */
const MOST_OWN = 20

type OwnRow = {
  id: string
  kind: CheckKind
  status: CheckStatus
  submitted_at: Date
  decided_at: Date | null
  reason: string | null
  expires_on: string | null
}
export type CheckRow = OwnRow & {
  user_id: string
  user_name: string
  decided_by_name: string | null
  erased_at: Date | null
}

// Left joins, although every row has its partners: PostgreSQL drops them from queries that only count rows.
function checks(db: Kysely<Schema>) {
  return db
    .selectFrom('app.identity_checks as c')
    .leftJoin('app.users as u', 'u.id', 'c.user_id')
    .leftJoin('app.users as d', 'd.id', 'c.decided_by')
}

function rowsOf(query: ReturnType<typeof checks>) {
  return query
    .select(['c.id', 'c.kind', 'c.user_id', 'c.user_name', 'c.submitted_at', 'c.decided_at', 'c.reason'])
    .select(['c.erased_at', 'd.name as decided_by_name'])
    .select([
      sql<CheckStatus>`coalesce(c.decision, 'waiting')`.as('status'),
      sql<string | null>`c.expires_on::text`.as('expires_on'),
    ])
}

export const checkList = defineList({
  from: checks,
  columns: rowsOf,
  present: (rows: CheckRow[]) => rows.map(presentCheck),
  id: 'c.id',
  status: {
    known: checkStatuses,
    column: 'c.decision',
    special: { waiting: () => sql`c.decided_at IS NULL` },
  },
  exactly: { kind: 'c.kind' },
  period: { moment: 'c.submitted_at', sort: '-sent' },
  search: { texts: ['c.user_name', 'u.name', 'u.email'], ids: ['c.id', 'c.user_id'] },
  sorts: {
    sent: { value: 'c.submitted_at', type: 'timestamptz' },
    name: { value: sql`lower(c.user_name)`, type: 'text' },
  },
})

function presentOwn(row: OwnRow): OwnCheck {
  return {
    _id: row.id,
    kind: row.kind,
    status: row.status,
    submittedAt: row.submitted_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    reason: row.reason,
    expiresOn: row.expires_on,
  }
}

export function presentCheck(row: CheckRow): IdentityCheck {
  return {
    ...presentOwn(row),
    user: row.user_id,
    userName: row.user_name,
    decidedBy: row.decided_by_name,
    erasedAt: row.erased_at?.toISOString() ?? null,
  }
}

/** @throws AppError not_found */
export async function checkById(db: Kysely<Schema>, id: string): Promise<CheckRow> {
  const row = await rowsOf(checks(db)).where('c.id', '=', id).executeTakeFirst()
  if (!row) throw noSuchCheck()
  return row
}

/** A person's own checks, the newest first. */
export async function ownChecks(db: Kysely<Schema>, userId: string): Promise<OwnCheck[]> {
  const rows = await rowsOf(checks(db))
    .where('c.user_id', '=', userId)
    .orderBy('c.id', 'desc')
    .limit(MOST_OWN)
    .execute()
  return rows.map(presentOwn)
}

/** @throws AppError not_found, also for another's */
export async function ownCheck(db: Kysely<Schema>, userId: string, id: string): Promise<OwnCheck> {
  const row = await checkById(db, id)
  if (row.user_id !== userId) throw noSuchCheck()
  return presentOwn(row)
}

/**
 * A check with its person and who has opened it; not what was sent.
 * @param readerId whose own checks are not shown
 * @throws AppError not_found
 */
export async function checkDetail(
  db: Kysely<Schema>,
  id: string,
  readerId: string,
): Promise<CallData<typeof getCheck>> {
  const row = await checkById(db, id)
  if (row.user_id === readerId) throw noSuchCheck()
  const [person, files, views, others, waiting, more] = await Promise.all([
    personOf(db, row.user_id),
    filesOfCheck(db, id),
    viewsOf(db, row, readerId),
    othersOf(db, row),
    waitingOf(db, row.user_id),
    moreOf(db, id),
  ])
  const { withdrawals, investments } = waiting.for === row.kind ? waiting : { withdrawals: 0, investments: 0 }
  return {
    ...presentCheck(row),
    person,
    files,
    ...more,
    ...views,
    others,
    waiting: { withdrawals, investments },
  }
}

/** Who decided it, and who compared the document with the face, if not staff. */
async function moreOf(db: Kysely<Schema>, checkId: string) {
  const { decided_by, session_id } = await db
    .selectFrom('app.identity_checks')
    .select(['decided_by', 'session_id'])
    .where('id', '=', checkId)
    .executeTakeFirstOrThrow()
  return { decider: decided_by, provider: session_id === null ? null : 'Veriff' }
}

async function personOf(db: Kysely<Schema>, id: string) {
  const { created_at, frozen_at, closed_at, ...person } = await db
    .selectFrom('app.users')
    .select(['email', 'phone', 'country', 'created_at', 'frozen_at', 'closed_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { level } = await levelOf(db, id)
  const frozen = frozen_at !== null && closed_at === null
  return { ...person, since: created_at.toISOString(), level, frozen, exposed: await isExposed(db, id) }
}

/** Who has opened a check and its files, from the audit log. */
async function viewsOf(db: Kysely<Schema>, { id, user_id }: CheckRow, readerId: string) {
  const { rows } = await sql<{
    by: string | null
    at: Date
    what: 'answers' | IdentityFileKind
    own: boolean
  }>`
    SELECT u.name AS by, a.at, coalesce(a.details ->> 'what', 'answers') AS what, a.actor_id = ${readerId} AS own
      FROM app.audit_log a LEFT JOIN app.users u ON u.id = a.actor_id
     WHERE a.subject_id = ${user_id} AND a.action IN ('identity.opened', 'identity.file_opened')
       AND a.details ->> 'check' = ${id}
     ORDER BY a.id DESC`.execute(db)
  return {
    views: rows
      .slice(0, MOST_OTHERS)
      .map(({ by, at, what }) => ({ by: by ?? 'Unknown', at: at.toISOString(), what })),
    opened: rows.some(({ own, what }) => own && what === 'answers'),
  }
}

async function othersOf(db: Kysely<Schema>, { id, user_id }: CheckRow): Promise<IdentityCheck[]> {
  const rows = await rowsOf(checks(db))
    .where('c.user_id', '=', user_id)
    .where('c.id', '<>', id)
    .orderBy('c.id', 'desc')
    .limit(MOST_OTHERS)
    .execute()
  return rows.map(presentCheck)
}

export function noSuchCheck(): AppError {
  return new AppError('not_found', t('There is no such identity check'))
}
