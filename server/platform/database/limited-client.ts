import { Client, type ClientConfig } from 'pg'

export interface LimitedClientConfig extends ClientConfig {
  /** How long the database may take to answer a query, in milliseconds; without it, for ever. */
  readonly answerMs?: number
}

/** How long a goodbye may take, in milliseconds. */
const GOODBYE_MS = 2_000

type Call = (...given: unknown[]) => unknown

/**
 * A connection that is given up where the database does not answer in time. A host that disappears silently (power, a
 * cable, a firewall that forgot the connection) closes nothing, and TCP alone waits a quarter of an hour for it.
 */
export class LimitedClient extends Client {
  constructor({ answerMs, ...config }: LimitedClientConfig = {}) {
    super(config)
    // pg declares a dozen forms of each; all of them end in a callback or answer a promise.
    if (answerMs !== undefined) {
      const giveUp = () => this.connection.stream.destroy(silenceOf(answerMs))
      this.query = limited((this.query as Call).bind(this), answerMs, giveUp) as Client['query']
    }
    const leave = () => this.connection.stream.destroy()
    this.end = limited((this.end as Call).bind(this), GOODBYE_MS, leave) as Client['end']
  }
}

/** What is under way on the connection fails with it, and whatever is asked later. */
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
