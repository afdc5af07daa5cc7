import type { Together } from '#server/context.ts'
import { canRunAgain, retrying } from '#server/platform/database/retrying.ts'
import { Grouped, onePerPool } from '#server/platform/grouped.ts'
import { inLanguage } from '#server/platform/language.ts'
import type { AppError } from '#shared/errors.ts'
import { languageNow } from '#shared/i18n/language.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { bulkPart } from '#shared/limits.ts'
import { refusalOf } from './errors.ts'
import { type Ask, answerAll, type KeptAnswer } from './run-act.ts'

type Answer = KeptAnswer | AppError

/** Groups of one call and language under way in a process at the same time: the larger they are, the less each request costs. */
const AT_ONCE = 1
/** Requests of one call that wait for a group; beyond it callers are told to come back. */
const WAITING = 1_000
/** Requests that are done alone at the same time: few, so that those that wait for a lock leave connections to others. */
const ALONE_AT_ONCE = 4
/** How long a group waits for each lock, in milliseconds: somebody else's transaction holds up one record, not all. */
const LOCK_MS = 500
/** Attempts of a group with which other transactions interfere. */
const TRIES = 3

/** By the id of the call and the language of those who make it, in which a group is refused. */
const groupsOf = onePerPool(() => new Map<string, Grouped<Ask, Answer>>())

/**
 * Answers a request together with others for the same call, of any callers with its language, that arrive at the same time: in one transaction, each
 * with its own key, audit line and refusal. If anything but a refusal fails there, each has a transaction of its own.
 */
export function runInGroup(act: Together, ask: Ask): Promise<Answer> {
  const groups = groupsOf(ask.ctx.services.pool)
  const language = languageNow()
  const name = `${act.call.id} ${language}`
  const known = groups.get(name)
  if (known !== undefined) return known.add(ask)
  const fresh = groupOf(act, language)
  groups.set(name, fresh)
  return fresh.add(ask)
}

function groupOf(act: Together, language: Language): Grouped<Ask, Answer> {
  return new Grouped<Ask, Answer>({
    most: bulkPart,
    atOnce: AT_ONCE,
    aloneAtOnce: ALONE_AT_ONCE,
    mostWaiting: WAITING,
    namesOf: ask => [JSON.stringify(ask.input.params), ...keyOf(ask)],
    orderOf: ask => keyOf(ask).join(),
    run: asks => inLanguage(language, () => runTogether(act, asks)),
    runAlone: ask => inLanguage(language, () => runAlone(act, ask)),
    mayDifferAlone: (error, size) =>
      canRunAgain(error) || isAboutLock(error) || (size > 1 && refusalOf(error).code !== 'not_ready'),
  })
}

async function runAlone(act: Together, ask: Ask): Promise<Answer> {
  const [answer] = await retrying(() => inOneTransaction(act, [ask]))
  return answer!
}

function keyOf({ request }: Ask): string[] {
  return request === null ? [] : [`${request.caller} ${request.key}`]
}

async function runTogether(act: Together, asks: readonly Ask[]): Promise<Answer[]> {
  try {
    return await retrying(() => inOneTransaction(act, asks, LOCK_MS), TRIES)
  } catch (error) {
    const { log } = asks[0]!.ctx
    log.info({ err: error, call: act.call.id, requests: asks.length }, 'acts failed together')
    throw error
  }
}

function inOneTransaction(act: Together, asks: readonly Ask[], lockMs?: number): Promise<Answer[]> {
  const { db } = asks[0]!.ctx.services
  return db.transaction().execute(tx => answerAll(act, asks, tx, { lockMs }))
}

/** SQLSTATE lock_not_available. */
function isAboutLock(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03'
}
