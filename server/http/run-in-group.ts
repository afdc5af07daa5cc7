import type { Together } from '#server/context.ts'
import { canRunAgain, retrying } from '#server/platform/database/retrying.ts'
import { Grouped, onePerPool } from '#server/platform/grouped.ts'
import type { AppError } from '#shared/errors.ts'
import { bulkPart } from '#shared/limits.ts'
import { refusalOf } from './errors.ts'
import { type Ask, answerAll, type KeptAnswer } from './run-act.ts'

type Answer = KeptAnswer | AppError

/** Groups of one call under way in a process at the same time: the larger they are, the less each request costs. */
const AT_ONCE = 1
/** Requests of one call that wait for a group; beyond it callers are told to come back. */
const WAITING = 1_000
/** How long a group waits for a lock, in milliseconds: somebody else's transaction holds up one record, not all. */
const LOCK_MS = 500

/** By the id of the call. */
const groupsOf = onePerPool(() => new Map<string, Grouped<Ask, Answer>>())

/**
 * Answers a request together with others for the same call, of any callers, that arrive at the same time: in one transaction, each
 * with its own key, audit line and refusal. If anything but a refusal fails there, each has a transaction of its own.
 */
export function runInGroup(act: Together, ask: Ask): Promise<Answer> {
  const groups = groupsOf(ask.ctx.services.pool)
  const known = groups.get(act.call.id)
  if (known !== undefined) return known.add(ask)
  const fresh = groupOf(act)
  groups.set(act.call.id, fresh)
  return fresh.add(ask)
}

function groupOf(act: Together): Grouped<Ask, Answer> {
  return new Grouped<Ask, Answer>({
    most: bulkPart,
    atOnce: AT_ONCE,
    mostWaiting: WAITING,
    namesOf,
    run: asks => runTogether(act, asks, LOCK_MS),
    runAlone: async ask => (await retrying(() => runTogether(act, [ask])))[0]!,
    mayDifferAlone: (error, size) =>
      canRunAgain(error) || isAboutLock(error) || (size > 1 && refusalOf(error).code !== 'not_ready'),
  })
}

/** Each record and each key once in a group: the second request must find what became of the first. */
function namesOf({ input, request }: Ask): string[] {
  const record = JSON.stringify(input.params)
  return request === null ? [record] : [record, `${request.caller} ${request.key}`]
}

/** In the order of their keys, which every process locks in the same order. */
async function runTogether(act: Together, asks: readonly Ask[], lockMs?: number): Promise<Answer[]> {
  const inOrder = asks.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const { db } = asks[0]!.ctx.services
  const answers = await db.transaction().execute(tx => answerAll(act, inOrder, tx, { lockMs }))
  const byAsk = new Map(inOrder.map((ask, index) => [ask, answers[index]!]))
  return asks.map(ask => byAsk.get(ask)!)
}

function keyOf({ request }: Ask): string {
  return request === null ? '' : `${request.caller} ${request.key}`
}

/** SQLSTATE lock_not_available. */
function isAboutLock(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03'
}
