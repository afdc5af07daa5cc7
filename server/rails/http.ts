import { send } from '#server/platform/tracing/outgoing.ts'
import { ChainError } from '#server/rails/chain.ts'

/** Default timeout of a request in milliseconds. */
const ANSWER_MS = 10_000
/** A full block has at most 4 MB, twice that in hexadecimal; the ids of a full mempool about 20 MB. */
const MOST_BYTES = 64 * 2 ** 20

export type Request = {
  /** http(s), with user and password if the server needs them. */
  url: string
  headers?: Record<string, string>
  body?: string
  limitMs?: number
}
export type Answer = { status: number; body: Buffer; waitMs: number | undefined }

/**
 * Sends one request, without retries or redirects: keys and passwords go only where the operator sends them.
 * @param what names the request in an error, because the server's address may contain a password
 * @throws ChainError if no answer arrives, or too late, or too long
 */
export async function answerOf(
  what: string,
  { url, headers = {}, body, limitMs = ANSWER_MS }: Request,
): Promise<Answer> {
  const { href, login } = withoutPassword(url)
  try {
    const response = await send(href, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...login },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    })
    const parts: Uint8Array[] = []
    let length = 0
    for await (const part of response.body ?? []) {
      length += part.length
      if (length > MOST_BYTES) throw new ChainError(`${what}: the answer is too long`)
      parts.push(part)
    }
    return { status: response.status, body: Buffer.concat(parts), waitMs: waitOf(response.headers) }
  } catch (error) {
    if (error instanceof ChainError) throw error
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    throw new ChainError(
      `${what}: ${isLate ? `no answer within ${limitMs / 1000} s` : 'it cannot be reached'}`,
      { isLate },
    )
  }
}

/** User and password go into a header (RFC 7617): `fetch` rejects URLs that contain them. */
function withoutPassword(text: string): { href: string; login: Record<string, string> } {
  const url = new URL(text)
  const [username, password] = [url.username, url.password].map(decodeURIComponent)
  url.username = ''
  url.password = ''
  const login = Buffer.from(`${username}:${password}`).toString('base64')
  return { href: url.href, login: username === '' ? {} : { authorization: `Basic ${login}` } }
}

/** Retry-After in seconds (RFC 9110, 10.2.3), in milliseconds. */
function waitOf(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}
