import { type RawBuilder, sql } from 'kysely'
import type { Caller, Services, Tx } from '#server/context.ts'
import { together } from '#server/platform/database/together.ts'
import type { AuditAction } from '#shared/audit.ts'

/** Who acts, from where, why, and by which clock: a request, or the system (nulls). */
export type Origin = {
  caller: Pick<Caller, 'userId'> | null
  services: Pick<Services, 'clock'>
  ip: string | null
  requestId: string | null
  reason?: string | null
}

/** The system as the actor: no person requested this. */
export function asSystem<S extends Origin['services']>(services: S) {
  return { services, caller: null, ip: null, requestId: null }
}

/** One line of the audit log: the action and its subject. */
export type AuditLine = {
  action: AuditAction
  /** null for subjects that are unique, or for all at once. */
  subject?: { kind: string; id: string | null }
  /** Why: the request's reason if omitted, none if null. */
  reason?: string | null
  /** The record's status before and after. */
  moved?: readonly [before: string, after: string]
  details?: Record<string, unknown>
  /** The acting account if it is not the caller's (a sign-in, an emailed password reset); null if unknown. */
  actorId?: string | null
}

const audited = new WeakSet<Tx>()

/** Transactions that have written a line with `audit`. */
export function isAudited(tx: Tx): boolean {
  return audited.has(tx)
}

/** Writes the line in the transaction of the act itself, so that neither exists without the other (N-12). */
export async function audit(tx: Tx, ctx: Origin, line: AuditLine): Promise<void> {
  await auditAll(tx, ctx, [line])
}

/**
 * Several lines of one act.
 * @param also statements of the act that are done in the same round trip
 */
export async function auditAll(
  tx: Tx,
  ctx: Origin,
  lines: readonly AuditLine[],
  also: readonly RawBuilder<unknown>[] = [],
): Promise<void> {
  await together([insertLines(ctx, lines), ...also]).execute(tx)
  audited.add(tx)
}

function insertLines(ctx: Origin, lines: readonly AuditLine[]): RawBuilder<unknown> {
  const at = ctx.services.clock.now()
  const actors = lines.map(({ actorId }) => (actorId === undefined ? (ctx.caller?.userId ?? null) : actorId))
  const reasons = lines.map(({ reason }) => (reason === undefined ? (ctx.reason ?? null) : reason))
  const details = lines.map(line => JSON.stringify({ ...stateChange(line.moved), ...line.details }))
  return sql`
    INSERT INTO app.audit_log (at, actor_id, action, subject_kind, subject_id, reason, ip, request_id, details)
    SELECT ${at}, actor_id, action, subject_kind, subject_id, reason, ${ctx.ip}, ${ctx.requestId}, details
      FROM unnest(${actors}::uuid[], ${lines.map(({ action }) => action)}::text[],
                  ${lines.map(({ subject }) => subject?.kind ?? null)}::text[],
                  ${lines.map(({ subject }) => subject?.id ?? null)}::uuid[], ${reasons}::text[], ${details}::jsonb[])
             AS line (actor_id, action, subject_kind, subject_id, reason, details)`
}

function stateChange(moved: AuditLine['moved']) {
  return moved && { before: { status: moved[0] }, after: { status: moved[1] } }
}
