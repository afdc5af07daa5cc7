import { sql } from 'kysely'
import { isAudited } from '#server/audit/log.ts'
import type { Act, RequestContext, Tx } from '#server/context.ts'
import type { Plans } from '#server/ledger/idempotency.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { rightFor } from '#shared/roles.ts'
import { isKept, type KeptRefusal } from './errors.ts'
import type { Input } from './input.ts'

/** Stored with an idempotency key: the first result, or the first refusal. */
export type KeptAnswer = { result: unknown } | { refused: KeptRefusal }

/** Acts on lists find all rows by keys. */
export function plansOf({ runAll }: Act): Plans {
  return runAll === undefined ? 'auto' : 'generic'
}

/** @throws Error if an act of staff has left no line in the audit log (N-12) */
export function requireAudited(call: CallDefinition, tx: Tx): void {
  if (rightFor(call) === undefined || isAudited(tx)) return
  throw new Error(`${call.id} has left no line in the audit log`)
}

/** An act of staff needs its line in the audit log (N-12). */
export async function runAudited(act: Act, input: Input, ctx: RequestContext, tx: Tx): Promise<unknown> {
  const result = await act.run(input as never, ctx as never, tx)
  requireAudited(act.call, tx)
  return result
}

/** A refusal undoes what the handler did so far, and is stored like any answer. */
export async function actOrRefuse(act: Act, input: Input, ctx: RequestContext, tx: Tx): Promise<KeptAnswer> {
  if (act.runAll !== undefined) return actOnOne(act, act.runAll, input, ctx, tx)
  await sql`SAVEPOINT act`.execute(tx)
  try {
    return { result: await runAudited(act, input, ctx, tx) }
  } catch (error) {
    if (!isKept(error)) throw error
    await sql`ROLLBACK TO SAVEPOINT act`.execute(tx)
    return { refused: keptOf(error) }
  }
}

/** A refusal that an act on a list returns has changed nothing, so it needs no savepoint. */
async function actOnOne(
  act: Act,
  runAll: NonNullable<Act['runAll']>,
  input: Input,
  ctx: RequestContext,
  tx: Tx,
): Promise<KeptAnswer> {
  const [answer] = await runAll([input] as never, ctx as never, tx)
  if (answer instanceof AppError) {
    if (!isKept(answer)) throw answer
    return { refused: keptOf(answer) }
  }
  requireAudited(act.call, tx)
  return { result: answer }
}

export function keptOf({ code, message, reason, fields }: AppError): KeptRefusal {
  return { code, message, ...(reason ? { reason } : {}), ...(fields ? { fields } : {}) }
}
