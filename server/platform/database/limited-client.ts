import { Client, type ClientConfig } from 'pg'

export interface LimitedClientConfig extends ClientConfig {
  /** Timeout of a query, in milliseconds; none by default. */
  readonly answerMs?: number
  /** Breaks the connection when aborted, whatever it is doing. */
  readonly signal?: AbortSignal
}

/** Timeout of closing, in milliseconds. */
const GOODBYE_MS = 2_000

type Call = (...given: unknown[]) => unknown

/**
 * A connection that gives up if the database does not answer in time. If a host disappears silently (power, cable,
 * firewall), nothing is closed, and TCP alone waits a quarter of an hour.
 */
export class LimitedClient extends Client {
  constructor({ answerMs, signal, ...config }: LimitedClientConfig = {}) {
    super(config)
    // pg declares a dozen overloads; each ends in a callback or a promise.
    if (answerMs !== undefined) {
      const giveUp = () => this.connection.stream.destroy(silenceOf(answerMs))
      this.query = limited((this.query as Call).bind(this), answerMs, giveUp) as Client['query']
    }
    const leave = () => this.connection.stream.destroy()
    this.end = limited((this.end as Call).bind(this), GOODBYE_MS, leave) as Client['end']
    signal?.addEventListener('abort', leave)
    this.once('end', () => signal?.removeEventListener('abort', leave))
  }
}

/** Fails the pending query and all later ones. */
function silenceOf(limitMs: number): Error {
  return Object.assign(new Error(`The database did not answer within ${limitMs} ms`), { code: 'ETIMEDOUT' })
}

function limited(call: Call, limitMs: number, giveUp: () => void): Call {
  return (...given) => {
    const limit = setTimeout(giveUp, limitMs)
    const done = () => clearTimeout(limit)
    const callback = given.at(-1)
    if (typeof callback === 'function') {
      const settle = (...outcome: unknown[]) => {
        done()
        callback(...outcome)
      }
      return call(...given.slice(0, -1), settle)
    }
    const answer = call(...given) as Promise<unknown>
    answer.then(done, done)
    return answer
  }
}
