import type { Answer, Arguments, FilePath, JsonPath, List, ListPath, Options, Row } from './calls.ts'
import { Refusal, refusalOf, TimeLimit, UnexpectedAnswer } from './errors.ts'

export type Limits = {
  /** Time for one answer, in milliseconds; of a file, until it begins. */
  answerMs: number
  /** How often a call is made before it fails with the server's refusal. */
  tries: number
  /** The longest `Retry-After` that a call waits for, in seconds. */
  waitSeconds: number
}
export const defaultLimits: Readonly<Limits> = { answerMs: 30_000, tries: 4, waitSeconds: 60 }

export type ClientSettings = {
  /** Where the product is: `https://example.com`. */
  address: string
  /** An API key, `probity_…`. */
  key: string
  limits?: Partial<Limits>
}

export type Client = {
  /** One call. @throws Refusal, UnexpectedAnswer, TimeLimit, and what fetch throws if there is no connection */
  get<P extends JsonPath>(path: P, ...request: Arguments<P>): Promise<Answer<P>>
  /** All rows of a list, page after page, each read when it is needed. */
  rows<P extends ListPath>(path: P, ...request: Arguments<P>): AsyncGenerator<Row<P>, void, undefined>
  /** A file: its bytes are in the answer's `body`, its name in `content-disposition`. */
  file<P extends FilePath>(path: P, ...request: Arguments<P>): Promise<Response>
}

/** Statuses of passing trouble. All calls only read, so that each can be repeated. */
const passing = [429, 503]

type Values = Record<string, unknown> | undefined
type Request = { path?: Values; query?: Values } & Options

/** @throws TypeError if the key would be sent unencrypted to another machine */
export function createClient({ address, key, limits: given }: ClientSettings): Client {
  const origin = safeOrigin(address)
  const limits = { ...defaultLimits, ...given }

  async function send<T>(
    path: string,
    request: Request,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = addressOf(origin, path, request)
    for (let tried = 1; ; tried++) {
      try {
        return await withinLimit(limits.answerMs, request.signal, async signal => {
          // A redirect could lead the key to another server.
          const headers = { authorization: `Bearer ${key}` }
          const response = await fetch(url, { headers, signal, redirect: 'error' })
          if (!response.ok) throw refusalOf(response, parsed(await response.text()))
          return await read(response)
        })
      } catch (error) {
        const seconds = tried < limits.tries ? secondsToRetry(error) : undefined
        if (seconds === undefined || seconds > limits.waitSeconds) throw error
        await wait(seconds * 1000, request.signal)
      }
    }
  }

  const get = (path: string, request: Request = {}) => send(path, request, answerOf)

  async function* rows(path: string, request: Request = {}) {
    let cursor: string | null | undefined
    do {
      const query = cursor === undefined ? request.query : { ...request.query, cursor }
      const { data, page } = (await get(path, { ...request, query })) as List
      yield* data
      cursor = page.nextCursor
    } while (cursor !== null)
  }

  const file = (path: string, request: Request = {}) => send(path, request, async response => response)

  return { get, rows, file } as Client
}

function safeOrigin(address: string): string {
  const { protocol, hostname, origin } = new URL(address)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return origin
  throw new TypeError('The address must begin with https://, because the key is sent to it')
}

function addressOf(origin: string, path: string, { path: values, query = {} }: Request): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values?.[name])))
  const url = new URL(`/api${filled}`, origin)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.href
}

/** Runs one try, which ends with its time or with the caller's signal. */
async function withinLimit<T>(
  limitMs: number,
  caller: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(new TimeLimit(limitMs)), limitMs)
  try {
    return await run(caller === undefined ? time.signal : AbortSignal.any([time.signal, caller]))
  } finally {
    clearTimeout(timer)
  }
}

/** The answer of a call that succeeded. */
async function answerOf(response: Response): Promise<unknown> {
  const body = parsed(await response.text())
  if ((body as { status?: unknown } | null | undefined)?.status === 'success') return body
  throw refusalOf(response, undefined)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function secondsToRetry(error: unknown): number | undefined {
  const isPassing =
    (error instanceof Refusal || error instanceof UnexpectedAnswer) && passing.includes(error.status)
  return isPassing ? error.retryAfterSeconds : undefined
}

/** @throws the signal's reason */
async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', end, { once: true })
  })
}
