import { sql } from 'kysely'
import { linesIn } from '#server/audit/log.ts'
import type { Act, RequestContext, Together, Tx } from '#server/context.ts'
import { claimKeys, keepAnswers, type RequestKey } from '#server/ledger/idempotency.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { rightFor } from '#shared/roles.ts'
import { requireCanMoveMoney } from './can-move-money.ts'
import { isKept, type KeptRefusal } from './errors.ts'
import type { Input } from './input.ts'

/** Stored with an idempotency key: the first result, or the first refusal. */
export type KeptAnswer = { result: unknown } | { refused: KeptRefusal }

/** A request, or a record of a bulk call, with the key that its answer is stored under. */
export type Ask = { input: Input; ctx: RequestContext; request: RequestKey | null }

type Options = {
  /** What is stored of a result, and answered; all of it if omitted. */
  shown?: (result: unknown) => unknown
  /** How long to wait for a lock, if not as long as the session does. */
  lockMs?: number | undefined
}

/**
 * Answers all in the transaction: with the stored answer of a request's key, or it acts and stores the answer together with the effect.
 * @returns answers in order; an AppError for a refusal that its key may try again
 */
export async function answerAll(
  act: Act | Together,
  asks: readonly Ask[],
  tx: Tx,
  { shown = result => result, lockMs }: Options = {},
): Promise<(KeptAnswer | AppError)[]> {
  const answers = await storedAnswers(act, asks, tx, lockMs)
  const due = asks.filter(ask => !answers.has(ask))
  if (due.length === 0) return asks.map(ask => answers.get(ask)!)
  for (const { ctx } of due) if (act.call.verified) await requireCanMoveMoney(tx, ctx)
  const fresh = (await actOnAll(act, due, tx)).map(answer =>
    'result' in answer ? { result: shown(answer.result) } : answer,
  )
  const toKeep = due.flatMap((ask, index) => {
    const answer = fresh[index]!
    return ask.request === null || answer instanceof AppError ? [] : [{ ask, request: ask.request, answer }]
  })
  const kept = await keepAnswers(tx, toKeep)
  for (const [index, ask] of due.entries()) answers.set(ask, fresh[index]!)
  for (const [index, { ask }] of toKeep.entries()) answers.set(ask, kept[index] as KeptAnswer)
  return asks.map(ask => answers.get(ask)!)
}

async function storedAnswers(
  { kind }: Act | Together,
  asks: readonly Ask[],
  tx: Tx,
  lockMs: number | undefined,
): Promise<Map<Ask, KeptAnswer | AppError>> {
  const keyed = asks.flatMap(ask => (ask.request === null ? [] : [{ ask, request: ask.request }]))
  // An act on a list finds all rows by keys.
  const plans = kind === 'together' ? 'generic' : 'auto'
  const stored = await claimKeys(
    tx,
    keyed.map(({ request }) => request),
    { plans, lockMs },
  )
  return new Map(
    keyed.flatMap(({ ask }, index) =>
      stored[index] === undefined ? [] : [[ask, stored[index] as KeptAnswer]],
    ),
  )
}

async function actOnAll(
  act: Act | Together,
  due: readonly Ask[],
  tx: Tx,
): Promise<(KeptAnswer | AppError)[]> {
  if (act.kind === 'together') {
    // What refuses several is nobody's refusal yet: each is then done alone.
    if (due.length > 1) return actTogether(act, due, tx)
    return [await orRefusal(tx, async () => (await actTogether(act, due, tx))[0]!)]
  }
  const answers: (KeptAnswer | AppError)[] = []
  for (const ask of due) {
    answers.push(await orRefusal(tx, async () => ({ result: await runAudited(act, ask.input, ask.ctx, tx) })))
    if (due.length > 1) await sql`RELEASE SAVEPOINT act`.execute(tx)
  }
  return answers
}

/** A refusal that an act on a list returns has changed nothing. */
async function actTogether(
  { call, runAll }: Together,
  due: readonly Ask[],
  tx: Tx,
): Promise<(KeptAnswer | AppError)[]> {
  const before = linesIn(tx)
  const answers = await runAll(due as never, due[0]!.ctx.services, tx)
  const done = answers.filter(answer => !(answer instanceof AppError))
  requireAudited(call, linesIn(tx) - before, done.length)
  return answers.map(answer => (answer instanceof AppError ? refused(answer) : { result: answer }))
}

/** A refusal undoes what the handler did so far. */
async function orRefusal(tx: Tx, work: () => Promise<KeptAnswer | AppError>): Promise<KeptAnswer | AppError> {
  await sql`SAVEPOINT act`.execute(tx)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`ROLLBACK TO SAVEPOINT act`.execute(tx)
    return refused(error)
  }
}

function refused(refusal: AppError): KeptAnswer | AppError {
  return isKept(refusal) ? { refused: keptOf(refusal) } : refusal
}

/** An act of staff needs its line in the audit log (N-12). */
export async function runAudited(act: Act, input: Input, ctx: RequestContext, tx: Tx): Promise<unknown> {
  const before = linesIn(tx)
  const result = await act.run(input as never, ctx as never, tx)
  requireAudited(act.call, linesIn(tx) - before, 1)
  return result
}

/** @throws Error if acts of staff have left fewer lines in the audit log than there are acts (N-12) */
function requireAudited(call: CallDefinition, lines: number, acts: number): void {
  if (rightFor(call) === undefined || lines >= acts) return
  throw new Error(`${call.id} has left ${lines} lines in the audit log for ${acts} acts`)
}

export function keptOf({ code, message, reason, fields }: AppError): KeptRefusal {
  return { code, message, ...(reason ? { reason } : {}), ...(fields ? { fields } : {}) }
}
