import type { RequestContext, Services, Tx } from '#server/context.ts'
import type { AuditAction } from '#shared/audit.ts'

/** Who acts, from where, why, and by which clock: a request, or the product itself (nulls). */
export type Origin = Pick<RequestContext, 'caller'> & {
  services: Pick<Services, 'clock'>
  ip: string | null
  requestId: string | null
  reason?: string | null
}

/** The system as the actor: no person requested what is done. */
export function asSystem<S extends Origin['services']>(services: S) {
  return { services, caller: null, ip: null, requestId: null }
}

/** One line of the log of who did what: the action, and what it was done to. */
export type AuditLine = {
  action: AuditAction
  /** Of what there is only one, or all at once, the id is null. */
  subject?: { kind: string; id: string | null }
  /** Why; the request's own reason where it is left out, none where it is null. */
  reason?: string | null
  /** Of a record that went from one state to another. */
  moved?: readonly [before: string, after: string]
  details?: Record<string, unknown>
  /** The account that acts, where it is not the caller's: a sign-in, a password reset by mail; null where nobody is known. */
  actorId?: string | null
}

const audited = new WeakSet<Tx>()

/** Whether a transaction has written a line, by `audit`. */
export function isAudited(tx: Tx): boolean {
  return audited.has(tx)
}

/** Writes the line in the transaction of the act itself, so that neither exists without the other (N-12). */
export async function audit(tx: Tx, ctx: Origin, line: AuditLine): Promise<void> {
  await auditAll(tx, ctx, [line])
}

/** Several lines of one act. */
export async function auditAll(tx: Tx, ctx: Origin, lines: readonly AuditLine[]): Promise<void> {
  const at = ctx.services.clock.now()
  const rows = lines.map(line => ({
    at,
    actor_id: line.actorId === undefined ? (ctx.caller?.userId ?? null) : line.actorId,
    action: line.action,
    subject_kind: line.subject?.kind ?? null,
    subject_id: line.subject?.id ?? null,
    reason: line.reason === undefined ? (ctx.reason ?? null) : line.reason,
    ip: ctx.ip,
    request_id: ctx.requestId,
    details: { ...stateChange(line.moved), ...line.details },
  }))
  await tx.insertInto('app.audit_log').values(rows).execute()
  audited.add(tx)
}

function stateChange(moved: AuditLine['moved']) {
  return moved && { before: { status: moved[0] }, after: { status: moved[1] } }
}
