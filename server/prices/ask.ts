import { send } from '#server/platform/tracing/outgoing.ts'
import { priceAnswerBytes } from '#shared/limits.ts'

/** Why a source has no answer, in words for the log and the console that repeat nothing the source sent. */
export class PriceSourceError extends Error {
  override readonly name = 'PriceSourceError'
  /** How long the source wants us to wait, 0 if unspecified; undefined if it did not ask us to. */
  readonly waitSeconds: number | undefined
  constructor(words: string, waitSeconds?: number) {
    super(words)
    this.waitSeconds = waitSeconds
  }
}

/** The timeout, from connecting to the last byte, and the clock for Retry-After. */
export type Asking = { milliseconds: number; now: () => Date }

/**
 * JSON from a URL, with every number as its text, so that it is read exactly.
 * @returns undefined for 404
 * @throws PriceSourceError
 */
export async function askFor(url: string, { milliseconds, now }: Asking): Promise<unknown> {
  try {
    const response = await send(url, {
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'Probity price feed' },
      // Only the operator may send requests elsewhere (PRICE_SOURCE_URLS).
      redirect: 'manual',
      signal: AbortSignal.timeout(milliseconds),
    })
    if (response.ok) return jsonOf(await textOf(response))
    await response.body?.cancel()
    if (response.status === 404) return undefined
    throw refusal(response, now())
  } catch (error) {
    throw error instanceof PriceSourceError ? error : notAnswered(error, milliseconds)
  }
}

/** Read as a stream and cut off at the limit, after unpacking: a small answer can unpack to a huge one. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop ends the connection.
    if (bytes > priceAnswerBytes) throw new PriceSourceError(`sent more than ${priceAnswerBytes / 1024} kB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text, digitsOf as (this: unknown, key: string, value: unknown) => unknown)
  } catch {
    throw new PriceSourceError(text.trim() === '' ? 'sent an empty answer' : 'sent invalid JSON')
  }
}

/** A reviver (ECMA-262 with the proposal JSON.parse source text access, which V8 has). */
function digitsOf(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' ? source : value
}

/** RFC 9110, 15.5 and 15.6; 429 is RFC 6585's. Both 429 and 503 may say how long to wait. */
function refusal({ status, headers }: Response, now: Date): PriceSourceError {
  if (status >= 300 && status < 400)
    return new PriceSourceError(`answered ${status}: a redirect, which we do not follow`)
  if (status !== 429 && status !== 503) return new PriceSourceError(`answered ${status}`)
  const told = secondsToWait(headers.get('retry-after'), now)
  if (told !== undefined) return new PriceSourceError(`answered ${status}: retry in ${told} s`, told)
  return new PriceSourceError(`answered ${status}`, status === 429 ? 0 : undefined)
}

/** Retry-After (RFC 9110, 10.2.3): seconds, or a date. */
function secondsToWait(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const until = Date.parse(header)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now.getTime()) / 1000))
}

function notAnswered(error: unknown, milliseconds: number): PriceSourceError {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError') return new PriceSourceError(`did not answer within ${milliseconds / 1000} s`)
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return new PriceSourceError(`could not be reached${code}`)
}
