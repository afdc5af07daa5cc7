import { type Expression, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import {
  deliveryStatuses,
  type Webhook,
  type WebhookDelivery,
  webhookStatuses,
} from '#shared/contract/webhooks.ts'
import type { WebhookEvent } from '#shared/webhooks.ts'

export type WebhookRow = Selectable<Schema['app.webhooks']>
type Row = WebhookRow & { proposer_name: string; remover_name: string | null; waiting: bigint }
type Status = Webhook['status']

function statusOf({ removed_at, stopped_at, failing_since, secret }: WebhookRow): Status {
  if (removed_at !== null) return 'removed'
  if (stopped_at !== null) return 'stopped'
  if (failing_since !== null) return 'failing'
  return secret === null ? 'approved' : 'active'
}

const inStatus: Record<Status, () => Expression<SqlBool>> = {
  approved: () => sql`w.removed_at IS NULL AND w.secret IS NULL`,
  active: () =>
    sql`w.removed_at IS NULL AND w.stopped_at IS NULL AND w.failing_since IS NULL AND w.secret IS NOT NULL`,
  failing: () => sql`w.removed_at IS NULL AND w.stopped_at IS NULL AND w.failing_since IS NOT NULL`,
  stopped: () => sql`w.removed_at IS NULL AND w.stopped_at IS NOT NULL`,
  removed: () => sql`w.removed_at IS NOT NULL`,
}

/** All webhooks, newest first. */
export const webhookList = defineList({
  from: (db: Kysely<Schema>) =>
    db
      .selectFrom('app.webhooks as w')
      .innerJoin('app.users as by', 'by.id', 'w.proposed_by')
      .leftJoin('app.users as remover', 'remover.id', 'w.removed_by'),
  columns: query =>
    query
      .selectAll('w')
      .select(['by.name as proposer_name', 'remover.name as remover_name'])
      .select(({ selectFrom, fn }) =>
        selectFrom('app.webhook_deliveries as d')
          .whereRef('d.webhook_id', '=', 'w.id')
          .where('d.status', '=', 'pending')
          .select(fn.countAll<bigint>().as('count'))
          .$asScalar()
          .$notNull()
          .as('waiting'),
      ),
  present: (rows: Row[], { now }) => rows.map(row => present(row, now)),
  id: 'w.id',
  status: { known: webhookStatuses, special: inStatus },
  search: { texts: ['w.name', 'w.url', 'by.name'], ids: ['w.id'] },
})

function present(row: Row, now: Date): Webhook {
  const { former_until: until } = row
  return {
    _id: row.id,
    name: row.name,
    url: row.url,
    events: row.events as WebhookEvent[],
    status: statusOf(row),
    hasSecret: row.secret !== null,
    proposedByName: row.proposer_name,
    formerUntil: until !== null && until > now ? until.toISOString() : null,
    failingSince: row.failing_since?.toISOString() ?? null,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    waiting: Number(row.waiting),
    removedAt: row.removed_at?.toISOString() ?? null,
    removedByName: row.remover_name,
  }
}

type DeliveryRow = Selectable<Schema['app.webhook_deliveries']> &
  Pick<WebhookRow, 'name' | 'removed_at' | 'stopped_at' | 'next_attempt_at'>

/** The log of all webhooks, newest first. */
export const deliveryList = defineList({
  from: (db: Kysely<Schema>) =>
    db.selectFrom('app.webhook_deliveries as d').innerJoin('app.webhooks as w', 'w.id', 'd.webhook_id'),
  columns: query =>
    query.selectAll('d').select(['w.name', 'w.removed_at', 'w.stopped_at', 'w.next_attempt_at']),
  present: (rows: DeliveryRow[]) => rows.map(presentDelivery),
  id: 'd.id',
  status: { known: deliveryStatuses, column: 'd.status' },
  exactly: { webhook: 'd.webhook_id' },
  search: { texts: ['w.name', 'd.event', 'd.response'], ids: ['d.id', 'd.subject_id'] },
})

function presentDelivery(row: DeliveryRow): WebhookDelivery {
  const isDue = row.status === 'pending' && row.stopped_at === null
  return {
    _id: row.id,
    webhook: row.webhook_id,
    webhookName: row.name,
    webhookRemoved: row.removed_at !== null,
    webhookStopped: row.removed_at === null && row.stopped_at !== null,
    event: row.event,
    subject: row.subject_id,
    happenedAt: row.happened_at.toISOString(),
    status: row.status,
    attempts: row.attempts,
    attemptedAt: row.attempted_at?.toISOString() ?? null,
    nextAttemptAt: isDue ? (row.next_attempt_at?.toISOString() ?? null) : null,
    milliseconds: row.took_ms,
    responseStatus: row.response_status,
    response: row.response,
  }
}
