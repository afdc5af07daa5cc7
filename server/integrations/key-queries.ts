import { type Expression, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { type ApiKey, apiKeyStatuses } from '#shared/contract/api-keys.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { dayOf } from '#shared/moments.ts'
import type { ApiKeyRight } from '#shared/roles.ts'

export type KeyRow = Selectable<Schema['app.api_keys']>
type Row = KeyRow & { proposer_name: string; proposer_is_admin: boolean; revoker_name: string | null }
type Status = ApiKey['status']

export function statusOf(
  { revoked_at, expires_on, hash }: Pick<KeyRow, 'revoked_at' | 'expires_on' | 'hash'>,
  now: Date,
): Status {
  if (revoked_at !== null) return 'revoked'
  if (expires_on < dayOf(now)) return 'expired'
  return hash === null ? 'approved' : 'active'
}

const inStatus: Record<Status, (now: Date) => Expression<SqlBool>> = {
  approved: now => sql`k.revoked_at IS NULL AND k.expires_on >= ${dayOf(now)} AND k.hash IS NULL`,
  active: now => sql`k.revoked_at IS NULL AND k.expires_on >= ${dayOf(now)} AND k.hash IS NOT NULL`,
  expired: now => sql`k.revoked_at IS NULL AND k.expires_on < ${dayOf(now)}`,
  revoked: () => sql`k.revoked_at IS NOT NULL`,
}

function keys(db: Kysely<Schema>) {
  return db
    .selectFrom('app.api_keys as k')
    .innerJoin('app.users as by', 'by.id', 'k.proposed_by')
    .leftJoin('app.users as revoker', 'revoker.id', 'k.revoked_by')
}

function rowsOf(query: ReturnType<typeof keys>) {
  return query
    .selectAll('k')
    .select(['by.name as proposer_name', 'revoker.name as revoker_name'])
    .select(
      sql<boolean>`by.type = 'admin' AND by.role = 'admin' AND by.access_ended_at IS NULL`.as(
        'proposer_is_admin',
      ),
    )
}

function present(row: Row, now: Date): ApiKey {
  return {
    _id: row.id,
    name: row.name,
    rights: row.rights as ApiKeyRight[],
    addresses: row.addresses,
    until: row.expires_on,
    status: statusOf(row, now),
    beginning: row.beginning,
    proposedBy: row.proposed_by,
    proposedByName: row.proposer_name,
    proposerIsAdmin: row.proposer_is_admin,
    createdAt: row.created_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastUsedFrom: row.last_used_ip,
    lastRefusedAt: row.last_refused_at?.toISOString() ?? null,
    lastRefusedFrom: row.last_refused_ip,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    revokedByName: row.revoker_name,
  }
}

/** All API keys, newest first. */
export const keyList = defineList({
  from: keys,
  columns: rowsOf,
  present: (rows: Row[], { now }) => rows.map(row => present(row, now)),
  id: 'k.id',
  status: { known: apiKeyStatuses, special: inStatus },
  search: { texts: ['k.name', 'k.beginning', 'by.name'], ids: ['k.id'] },
})

/** @throws AppError not_found */
export async function keyById(db: Kysely<Schema>, id: string, now: Date): Promise<ApiKey> {
  const row = await rowsOf(keys(db)).where('k.id', '=', id).executeTakeFirst()
  if (!row) throw new AppError('not_found', t('API key not found'))
  return present(row, now)
}
