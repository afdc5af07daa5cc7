import { sql } from 'kysely'
import { frozenRefusal } from '#server/accounts/frozen.ts'
import type { Act, Binding, RequestContext, SignedInContext, Tx } from '#server/context.ts'
import { claimKeys, keepAnswers } from '#server/ledger/idempotency.ts'
import { canRunAgain, retrying } from '#server/platform/database/retrying.ts'
import type { BulkBody, BulkResult } from '#shared/contract/bulk.ts'
import { AppError } from '#shared/errors.ts'
import { bulkPart } from '#shared/limits.ts'
import { isKept, refusalOf } from './errors.ts'
import { actOrRefuse, type KeptAnswer, keptOf, plansOf, requireAudited } from './run-act.ts'

type Bulk = Extract<Binding, { kind: 'bulk' }>
/** A record of the call, and the input of the act on it. */
type Item = { id: string; input: { params: { id: string }; body: object } }
/** What became of an item; `isKept` is false if the same key may try it again. */
type Outcome = { result: BulkResult; isKept: boolean }

/**
 * Acts on each record in the order given, `bulkPart` of them in one transaction. If anything but a refusal fails there, each of the part
 * has a transaction of its own. With an Idempotency-Key, each record's result is stored under a key of its own, so that a repetition
 * goes on where the call was interrupted, and repeats the results of the others.
 * @throws any error of the whole database; records before it are done
 */
export async function runBulk(
  { one }: Bulk,
  { body }: { body: BulkBody },
  ctx: SignedInContext,
): Promise<BulkResult[]> {
  const { records, ...common } = body
  const items = records.map(({ id, ...own }) => ({
    id,
    input: { params: { id }, body: { ...common, ...own } },
  }))
  const results: BulkResult[] = []
  for (let from = 0; from < items.length; from += bulkPart) {
    results.push(...(await runPart(one, items.slice(from, from + bulkPart), ctx)))
  }
  return results
}

async function runPart(one: Act, part: readonly Item[], ctx: SignedInContext): Promise<BulkResult[]> {
  if (part.length > 1) {
    try {
      return await runTogether(one, part, ctx)
    } catch (error) {
      // A deadlock with another list does not happen to its records one by one.
      if (isOfAll(error) && !canRunAgain(error)) throw error
      ctx.log.debug({ err: error, call: one.call.id }, 'bulk act failed together; each record is tried alone')
    }
  }
  const results: BulkResult[] = []
  for (const item of part) results.push(await runAlone(one, item, ctx))
  return results
}

/** True for errors that are not of one record: the key was used for another request, or the database is unavailable. */
function isOfAll(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'idempotency_key_reused'
  return refusalOf(error).code === 'not_ready'
}

async function runAlone(one: Act, item: Item, ctx: SignedInContext): Promise<BulkResult> {
  try {
    const [result] = await retrying(() => runTogether(one, [item], ctx))
    return result!
  } catch (error) {
    if (isOfAll(error)) throw error
    const refusal = (await frozenRefusal(error, ctx)) ?? refusalOf(error)
    if (refusal.code === 'internal')
      ctx.log.error({ err: error, call: one.call.id, record: item.id }, 'unexpected error')
    return refusedResult(item.id, refusal)
  }
}

/** In one transaction, with the stored results of items that were done before. */
function runTogether(one: Act, part: readonly Item[], ctx: SignedInContext): Promise<BulkResult[]> {
  return ctx.services.db.transaction().execute(async tx => {
    const request = requestOf(ctx)
    const keyOf = ({ id }: Item) => `${ctx.idempotency?.key} ${id}`
    const stored = request
      ? await claimKeys(tx, { ...request, keys: part.map(keyOf) }, plansOf(one))
      : new Map<string, unknown>()
    const due = part.filter(item => !stored.has(keyOf(item)))
    const outcomes = due.length > 0 ? await act(one, due, ctx, tx) : []
    const kept = due.flatMap((item, index): [string, KeptAnswer][] => {
      const { result, isKept } = outcomes[index]!
      return isKept ? [[keyOf(item), answerOf(result)]] : []
    })
    if (request && kept.length > 0) await keepAnswers(tx, request, new Map(kept))
    const fresh = new Map(due.map((item, index) => [item.id, outcomes[index]!.result]))
    return part.map(item => fresh.get(item.id) ?? resultOf(item.id, stored.get(keyOf(item)) as KeptAnswer))
  })
}

function requestOf({ caller, idempotency }: SignedInContext): { caller: string; hash: Buffer } | null {
  return idempotency && { caller: caller.userId, hash: idempotency.hash }
}

/** Acts on items that no key has answered. */
async function act(one: Act, due: readonly Item[], ctx: RequestContext, tx: Tx): Promise<Outcome[]> {
  const done = (id: string, result: unknown): Outcome => {
    const message = one.call.messageFor?.(result as never) ?? one.call.message
    return { result: { id, done: true, message, code: null, reason: null }, isKept: true }
  }
  if (one.runAll !== undefined) {
    const answers = await one.runAll(due.map(({ input }) => input) as never, ctx as never, tx)
    if (answers.some(answer => !(answer instanceof AppError))) requireAudited(one.call, tx)
    return answers.map((answer, index) => {
      const { id } = due[index]!
      return answer instanceof AppError
        ? { result: refusedResult(id, answer), isKept: isKept(answer) }
        : done(id, answer)
    })
  }
  const outcomes: Outcome[] = []
  for (const { id, input } of due) {
    const answer = await actOrRefuse(one, input as never, ctx, tx)
    await sql`RELEASE SAVEPOINT act`.execute(tx)
    outcomes.push(
      'refused' in answer ? { result: resultOf(id, answer), isKept: true } : done(id, answer.result),
    )
  }
  return outcomes
}

function refusedResult(id: string, refusal: AppError): BulkResult {
  return resultOf(id, { refused: keptOf(refusal) })
}

/** Stored in the form of a single call's answer, whose refusals expire with their keys. */
function answerOf(result: BulkResult): KeptAnswer {
  if (result.done) return { result: result.message }
  const { message, code, reason } = result
  return { refused: { code: code!, message, ...(reason && { reason }) } }
}

function resultOf(id: string, answer: KeptAnswer): BulkResult {
  if ('result' in answer)
    return { id, done: true, message: answer.result as string, code: null, reason: null }
  const { code, message, reason = null } = answer.refused
  return { id, done: false, message, code, reason }
}
