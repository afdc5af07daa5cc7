import { Client, type ClientConfig, type QueryConfig } from 'pg'
import { startStatement } from '#server/platform/tracing/statements.ts'
import { currentTraceparent, endSpan, errorTypeOf } from '#server/platform/tracing/tracing.ts'
import { Hosts, isConclusive, mostTelling, needsWrites, READ_ONLY, readOnlyServer } from './hosts.ts'
import { QueryWithSettings, type Settings, setStatements } from './settings.ts'
import { isOutdatedPlan, type StatementNames } from './statement-names.ts'
import { noteNotOpened, noteQueryError } from './trouble.ts'

export interface LimitedClientConfig extends ClientConfig {
  /** Timeout of a query, in milliseconds; none by default. */
  readonly answerMs?: number
  /** Breaks the connection when aborted, whatever it is doing. */
  readonly signal?: AbortSignal
  /** Prepares frequent statements of transactions, under these names. */
  readonly names?: StatementNames
  /** Shared by the connections that follow each other from host to host. */
  readonly hosts?: Hosts
  readonly settings?: Settings
  /** What the settings are made for; `transaction` behind a pooler that gives each transaction another session. */
  readonly scope?: 'session' | 'transaction'
}

/** Timeout of closing, in milliseconds. */
const GOODBYE_MS = 2_000
/** Settings that PostgreSQL reports at a login, and whenever they change: each makes a session read-only. */
const readOnlySettings = ['in_hot_standby', 'default_transaction_read_only']

type Call = (...given: unknown[]) => unknown

/** The first statement of a text that begins a transaction. */
const beginning = /^\s*(?:begin|start\s+transaction)\b[^;]*/i

/**
 * A connection that gives up if the database does not answer in time. If a host disappears silently (power, cable,
 * firewall), nothing is closed, and TCP alone waits a quarter of an hour. Its connection string may name several hosts
 * and `target_session_attrs=read-write`, as libpq's; they share the time limit of connecting.
 */
export class LimitedClient extends Client {
  /** True once the server has refused to write: it may be a primary no longer, and another one is. */
  refusedToWrite = false
  readonly #hosts: Hosts
  readonly #config: ClientConfig
  readonly #signal: AbortSignal | undefined
  /** Statements to run once it is open. */
  readonly #atOpening: string
  /** Connection strings of the hosts, in the order to try them; the first one is in use. */
  #urls: string[]
  readonly #needsWrites: boolean
  readonly #readOnly = new Set<string>()
  #isOpen = false
  #isLeft = false
  readonly #leave = () => {
    this.connection.stream.destroy()
  }

  constructor({
    answerMs,
    names,
    signal,
    hosts = new Hosts(),
    settings = {},
    scope = 'session',
    ...given
  }: LimitedClientConfig = {}) {
    const { connectionString = '', connectionTimeoutMillis = 0 } = given
    const urls = hosts.inOrder(connectionString)
    const config = { ...given, connectionTimeoutMillis: Math.ceil(connectionTimeoutMillis / urls.length) }
    super({ ...config, connectionString: urls[0]! })
    this.#hosts = hosts
    this.#config = config
    this.#signal = signal
    this.#urls = urls
    this.#needsWrites = needsWrites(connectionString)
    this.#atOpening = scope === 'session' ? setStatements(settings, 'SET') : ''
    // Without a listener, the end of a session that nobody uses would end the process.
    this.on('error', () => {})
    // pg declares a dozen overloads; each ends in a callback or a promise.
    this.connect = followed((this.connect as Call).bind(this), () => noteNotOpened) as Client['connect']
    const isInTransaction = () => this.getTransactionStatus() === 'T'
    if (scope === 'transaction') {
      const isOutside = () => this.getTransactionStatus() === 'I'
      this.query = perTransaction((this.query as Call).bind(this), settings, isOutside) as Client['query']
    }
    if (names !== undefined)
      this.query = named((this.query as Call).bind(this), names, isInTransaction) as Client['query']
    this.query = inItsTrace((this.query as Call).bind(this)) as Client['query']
    const giveUp = () => this.connection.stream.destroy(silenceOf(answerMs!))
    this.query = followed((this.query as Call).bind(this), ([query]) => {
      const span = startStatement(query)
      const limit = answerMs === undefined ? undefined : setTimeout(giveUp, answerMs)
      return error => {
        clearTimeout(limit)
        if (span !== undefined) endSpan(span, error ? errorTypeOf(error) : undefined)
        noteQueryError(error)
        if ((error as { code?: unknown } | undefined)?.code !== READ_ONLY) return
        this.refusedToWrite = true
        this.#noteDemotion()
      }
    }) as Client['query']
    this.end = followed((this.end as Call).bind(this), () => {
      this.#isLeft = true
      const limit = setTimeout(this.#leave, GOODBYE_MS)
      return () => clearTimeout(limit)
    }) as Client['end']
    this.on('end', () => {
      hosts.closed(this)
      signal?.removeEventListener('abort', this.#leave)
    })
  }

  /** The process id that the server answered the login with. */
  get backendId(): number | null {
    return (this as unknown as { processID: number | null }).processID
  }

  override connect(): Promise<Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): unknown {
    const reached = this.#reach()
    const settle = callback as ((error: unknown) => void) | undefined
    return settle === undefined ? reached : void reached.then(() => settle(null), settle)
  }

  /** Breaks the connection, because another server is the primary now. */
  break(): void {
    this.connection.stream.destroy(new Error('Connection terminated: its server is no longer the primary'))
  }

  /** Tries one host after the other. */
  async #reach(): Promise<Client> {
    const errors: unknown[] = []
    for (;;) {
      try {
        await this.#open()
        return this
      } catch (error) {
        errors.push(error)
        if (this.#urls.length === 1 || this.#isLeft || this.#signal?.aborted || isConclusive(error))
          throw isConclusive(error) ? error : mostTelling(errors)
        this.#turnToNext()
      }
    }
  }

  /** @throws Error with the code 25006 if the server must accept writes and does not */
  async #open(): Promise<void> {
    const url = this.#urls[0]!
    this.#signal?.addEventListener('abort', this.#leave)
    this.connection.on('parameterStatus', status => this.#noteSetting(status))
    await super.connect()
    try {
      if (this.#needsWrites && this.#readOnly.size > 0) {
        this.#hosts.demoted(url)
        throw readOnlyServer()
      }
      if (this.#atOpening !== '') await this.#set()
    } catch (error) {
      this.connection.stream.destroy()
      throw error
    }
    this.#isOpen = true
    this.#hosts.opened(this, { url, isPrimary: this.#needsWrites })
  }

  /** A pooler refuses most settings as parameters of the start of a session, so they are statements. */
  async #set(): Promise<void> {
    const { connectionTimeoutMillis = 0 } = this.#config
    const limit = connectionTimeoutMillis > 0 && setTimeout(this.#leave, connectionTimeoutMillis)
    await this.query(this.#atOpening).finally(() => limit && clearTimeout(limit))
  }

  /** pg's parameters of the start, without PGOPTIONS of the environment: options come from the connection string only. */
  getStartupConf(): object {
    const { options: _options, ...parameters } = startupConf.call(this)
    const options = URL.parse(this.#urls[0]!)?.searchParams.get('options')
    return options ? { ...parameters, options } : parameters
  }

  /** A client of pg connects once, so this one takes over what a new one would have, except for its listeners. */
  #turnToNext(): void {
    this.connection.removeAllListeners().on('error', () => {})
    this.connection.stream.destroy()
    this.#readOnly.clear()
    this.#urls = this.#urls.slice(1)
    const next = new Client({ ...this.#config, connectionString: this.#urls[0]! })
    const { _events, _eventsCount, _maxListeners, ...state } = next as Client & Record<string, unknown>
    Object.assign(this, state)
  }

  #noteSetting({ parameterName: name, parameterValue: value }: ParameterStatus): void {
    if (!readOnlySettings.includes(name)) return
    if (value === 'off') this.#readOnly.delete(name)
    else this.#readOnly.add(name)
    if (this.#isOpen && value !== 'off') this.#noteDemotion()
  }

  #noteDemotion(): void {
    if (this.#needsWrites) this.#hosts.demoted(this.#urls[0]!)
  }
}

/** pg does not declare it. */
const startupConf = (Client.prototype as unknown as { getStartupConf(): { options?: string } }).getStartupConf

type ConnectCallback = ((error: Error) => void) | ((error: null, client: Client) => void)
type ParameterStatus = { parameterName: string; parameterValue: string }

/** Fails the pending query and all later ones. */
function silenceOf(limitMs: number): Error {
  return Object.assign(new Error(`The database did not answer within ${limitMs} ms`), { code: 'ETIMEDOUT' })
}

/** Jobs that the database itself queues belong to the trace of their transaction. It takes no round trip of its own. */
function inItsTrace(call: Call): Call {
  return (...given) => {
    const [text, ...rest] = given
    const traceparent = currentTraceparent()
    if (traceparent === null || typeof text !== 'string') return call(...given)
    return call(
      text.replace(beginning, begin => `${begin}; SET LOCAL app.traceparent = '${traceparent}'`),
      ...rest,
    )
  }
}

/** Behind a pooler, settings belong to each transaction. They take no round trip of their own. */
function perTransaction(call: Call, settings: Settings, isOutside: () => boolean): Call {
  const set = `; ${setStatements(settings, 'SET LOCAL')}`
  return (...given) => {
    const [text, ...rest] = given
    if (!isOutside()) return call(...given)
    if (typeof text === 'string' && beginning.test(text))
      return call(
        text.replace(beginning, begin => begin + set),
        ...rest,
      )
    const query = new QueryWithSettings(settings, given)
    if (query.callback !== undefined) return call(query)
    return new Promise((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result))
      call(query)
    })
  }
}

/**
 * Only in transactions: their statements find rows by keys, so that one plan is good for all values. Lists and charts
 * are read outside, and planned for their values.
 */
function named(call: Call, names: StatementNames, isInTransaction: () => boolean): Call {
  return (...given) => {
    const [text, values, callback] = given
    if (!names.areAllowed) return call(withoutName(text), ...given.slice(1))
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || callback !== undefined)
      return call(...given)
    const name = isInTransaction() ? names.nameOf(text) : undefined
    if (name === undefined) return call(...given)
    const answer = call({ name, text, values }) as Promise<unknown>
    answer.catch(error => isOutdatedPlan(error) && names.forget())
    return answer
  }
}

function withoutName(query: unknown): unknown {
  return isConfig(query) ? { ...query, name: undefined } : query
}

function isConfig(query: unknown): query is QueryConfig {
  return typeof query === 'object' && query !== null && 'text' in query && !('submit' in query)
}

/** @param begin called before each call, with what that is given; what it returns, at the call's end, with its error */
function followed(call: Call, begin: (given: unknown[]) => (error?: unknown) => void): Call {
  return (...given) => {
    const done = begin(given)
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
