import { frozenRefusal } from '#server/accounts/frozen.ts'
import type { Act, Binding, SignedInContext, Together } from '#server/context.ts'
import { canRunAgain, retrying } from '#server/platform/database/retrying.ts'
import type { BulkBody, BulkResult } from '#shared/contract/bulk.ts'
import { AppError } from '#shared/errors.ts'
import { translate } from '#shared/i18n/t.ts'
import { bulkPart } from '#shared/limits.ts'
import { refusalOf } from './errors.ts'
import { type Ask, answerAll, type KeptAnswer, keptOf } from './run-act.ts'

type Bulk = Extract<Binding, { kind: 'bulk' }>
/** What is answered of a record that is done, and stored with its key. */
type Shown = Pick<BulkResult, 'message' | 'needsSecondApproval'>
/** A record of the call, and the input of the act on it. */
type Item = { id: string; input: { params: { id: string }; body: object } }

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

async function runPart(
  one: Act | Together,
  part: readonly Item[],
  ctx: SignedInContext,
): Promise<BulkResult[]> {
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

async function runAlone(one: Act | Together, item: Item, ctx: SignedInContext): Promise<BulkResult> {
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
async function runTogether(
  one: Act | Together,
  part: readonly Item[],
  ctx: SignedInContext,
): Promise<BulkResult[]> {
  const { call } = one
  const asks = part.map(({ id, input }): Ask => ({ input, ctx, request: requestOf(ctx, id) }))
  const shown = (result: unknown): Shown => ({
    message: call.messageFor?.(result as never) ?? translate(call.message),
    needsSecondApproval: call.needsSecondApproval?.(result as never) ?? false,
  })
  const answers = await ctx.services.db.transaction().execute(tx => answerAll(one, asks, tx, { shown }))
  return answers.map((answer, index) => {
    const { id } = part[index]!
    return answer instanceof AppError ? refusedResult(id, answer) : bulkResult(id, answer)
  })
}

function requestOf({ caller, idempotency }: SignedInContext, id: string): Ask['request'] {
  return idempotency && { caller: caller.userId, key: `${idempotency.key} ${id}`, hash: idempotency.hash }
}

function refusedResult(id: string, refusal: AppError): BulkResult {
  return bulkResult(id, { refused: keptOf(refusal) })
}

function bulkResult(id: string, answer: KeptAnswer): BulkResult {
  if ('result' in answer) return { id, done: true, ...(answer.result as Shown), code: null, reason: null }
  const { code, message, reason = null } = answer.refused
  return { id, done: false, message, needsSecondApproval: false, code, reason }
}
