import { Client, type ClientConfig } from 'pg'
import { isOutdatedPlan, type StatementNames } from './statement-names.ts'
import { noteNotOpened, noteQueryError } from './trouble.ts'

export interface LimitedClientConfig extends ClientConfig {
  /** Timeout of a query, in milliseconds; none by default. */
  readonly answerMs?: number
  /** Breaks the connection when aborted, whatever it is doing. */
  readonly signal?: AbortSignal
  /** Prepares frequent statements of transactions, under these names. */
  readonly names?: StatementNames
}

/** Timeout of closing, in milliseconds. */
const GOODBYE_MS = 2_000
/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006'

type Call = (...given: unknown[]) => unknown

/**
 * A connection that gives up if the database does not answer in time. If a host disappears silently (power, cable,
 * firewall), nothing is closed, and TCP alone waits a quarter of an hour.
 */
export class LimitedClient extends Client {
  /** True once the server has refused to write: it may be a primary no longer, and another one is. */
  refusedToWrite = false

  constructor({ answerMs, names, signal, ...config }: LimitedClientConfig = {}) {
    super(config)
    // pg declares a dozen overloads; each ends in a callback or a promise.
    this.connect = followed((this.connect as Call).bind(this), () => noteNotOpened) as Client['connect']
    if (names !== undefined) {
      const isInTransaction = () => this.getTransactionStatus() === 'T'
      this.query = named((this.query as Call).bind(this), names, isInTransaction) as Client['query']
    }
    const giveUp = () => this.connection.stream.destroy(silenceOf(answerMs!))
    this.query = followed((this.query as Call).bind(this), () => {
      const limit = answerMs === undefined ? undefined : setTimeout(giveUp, answerMs)
      return error => {
        clearTimeout(limit)
        noteQueryError(error)
        this.refusedToWrite ||= (error as { code?: unknown } | undefined)?.code === READ_ONLY
      }
    }) as Client['query']
    const leave = () => this.connection.stream.destroy()
    this.end = followed((this.end as Call).bind(this), () => {
      const limit = setTimeout(leave, GOODBYE_MS)
      return () => clearTimeout(limit)
    }) as Client['end']
    signal?.addEventListener('abort', leave)
    this.once('end', () => signal?.removeEventListener('abort', leave))
  }
}

/** Fails the pending query and all later ones. */
function silenceOf(limitMs: number): Error {
  return Object.assign(new Error(`The database did not answer within ${limitMs} ms`), { code: 'ETIMEDOUT' })
}

/**
 * Only in transactions: their statements find rows by keys, so that one plan is good for all values. Lists and charts
 * are read outside, and planned for their values.
 */
function named(call: Call, names: StatementNames, isInTransaction: () => boolean): Call {
  return (...given) => {
    const [text, values, callback] = given
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || callback !== undefined)
      return call(...given)
    const name = isInTransaction() ? names.nameOf(text) : undefined
    if (name === undefined) return call(...given)
    const answer = call({ name, text, values }) as Promise<unknown>
    answer.catch(error => isOutdatedPlan(error) && names.forget())
    return answer
  }
}

/** @param begin called before each call; what it returns, at the call's end, with its error */
function followed(call: Call, begin: () => (error?: unknown) => void): Call {
  return (...given) => {
    const done = begin()
    const callback = given.at(-1)
    if (typeof callback === 'function') {
      const settle = (...outcome: unknown[]) => {
        done(outcome[0])
        callback(...outcome)
      }
      return call(...given.slice(0, -1), settle)
    }
    const answer = call(...given) as Promise<unknown>
    answer.then(() => done(), done)
    return answer
  }
}
