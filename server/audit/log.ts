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

/** Lines with who acted, which differs where the requests of several people are done together. */
export type OriginatedLine = AuditLine & { by: Origin }

/** How many acts these belong to: the records of one bulk call are one. */
export function actsIn(of: readonly { by: Origin }[]): number {
  return new Set(of.map(({ by }) => by)).size
}

const written = new WeakMap<Tx, number>()

/** Lines that the transaction has written. */
export function linesIn(tx: Tx): number {
  return written.get(tx) ?? 0
}

/** Writes the line in the transaction of the act itself, so that neither exists without the other (N-12). */
export async function audit(tx: Tx, ctx: Origin, line: AuditLine): Promise<void> {
  await auditAll(tx, ctx, [line])
}

/** Several lines of one act. */
export async function auditAll(tx: Tx, ctx: Origin, lines: readonly AuditLine[]): Promise<void> {
  const theirs = lines.map(line => ({ ...line, by: ctx }))
  await auditEach(tx, theirs)
}

/**
 * Lines of several acts that are done together.
 * @param also statements of the acts that are done in the same round trip
 */
export async function auditEach(
  tx: Tx,
  lines: readonly OriginatedLine[],
  also: readonly RawBuilder<unknown>[] = [],
): Promise<void> {
  await together([insertLines(lines), ...also]).execute(tx)
  written.set(tx, linesIn(tx) + lines.length)
}

function insertLines(lines: readonly OriginatedLine[]): RawBuilder<unknown> {
  const at = lines[0]?.by.services.clock.now() ?? null
  const actors = lines.map(({ actorId, by }) =>
    actorId === undefined ? (by.caller?.userId ?? null) : actorId,
  )
  const reasons = lines.map(({ reason, by }) => (reason === undefined ? (by.reason ?? null) : reason))
  const details = lines.map(line => JSON.stringify({ ...stateChange(line.moved), ...line.details }))
  return sql`
    INSERT INTO app.audit_log (at, actor_id, action, subject_kind, subject_id, reason, ip, request_id, details)
    SELECT ${at}::timestamptz, *
      FROM unnest(${actors}::uuid[], ${lines.map(({ action }) => action)}::text[],
                  ${lines.map(({ subject }) => subject?.kind ?? null)}::text[],
                  ${lines.map(({ subject }) => subject?.id ?? null)}::uuid[], ${reasons}::text[],
                  ${lines.map(({ by }) => by.ip)}::text[], ${lines.map(({ by }) => by.requestId)}::text[], ${details}::jsonb[])`
}

function stateChange(moved: AuditLine['moved']) {
  return moved && { before: { status: moved[0] }, after: { status: moved[1] } }
}
