import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { requestOutside } from '#server/platform/outside-request.ts'
import { PrivateAddress } from '#server/platform/public-address.ts'
import { listDownloadMinutes, listRedirects } from '#shared/limits.ts'

const MINUTE_MS = 60_000

/** Why a file cannot be read, in words for staff. */
export class Unreachable extends Error {}

/** How an address names the version of its file (RFC 9110, 8.8). The address may contain a password, so only its hash is kept. */
export type FileVersion = { source: Buffer; etag: string | null; lastModified: string | null }

/** `null`: the file is the version that is known already. */
export type Download = { content: AsyncIterable<Uint8Array>; version: FileVersion } | null

/**
 * Begins to download a published file. Redirects are followed, but never to another protocol.
 * @param known the version that is in force, if any
 * @throws Unreachable, without the address
 */
export async function download(
  address: string,
  { known, signal }: { known?: FileVersion | undefined; signal?: AbortSignal } = {},
): Promise<Download> {
  const source = createHash('sha256').update(address).digest()
  const isKnown = known?.source.equals(source) === true
  const ends = AbortSignal.timeout(listDownloadMinutes * MINUTE_MS)
  const answer = await follow(address, {
    headers: isKnown ? conditions(known) : {},
    signal: signal ? AbortSignal.any([signal, ends]) : ends,
  })
  const { statusCode, headers } = answer
  if (statusCode !== 200) {
    // Else its connection stays open for what it sends on.
    answer.destroy()
    if (isKnown && statusCode === 304) return null
    throw new Unreachable(`It answered with status ${statusCode}.`)
  }
  return {
    content: read(decoded(answer)),
    version: { source, etag: headers.etag || null, lastModified: headers['last-modified'] || null },
  }
}

function conditions({ etag, lastModified }: FileVersion): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}

async function follow(
  address: string,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<IncomingMessage> {
  let url = new URL(address)
  const { protocol, hostname } = url
  for (let redirects = 0; redirects <= listRedirects; redirects++) {
    const answer = await requestOutside(url, {
      method: 'GET',
      headers: { 'user-agent': 'Probity-Lists/1', 'accept-encoding': 'gzip, br', ...headers },
      signal,
      // The operator chose the first host; the publisher does not lead on into our own network.
      mayBePrivate: url.hostname === hostname,
    }).catch(inWords)
    const { location } = answer.headers
    if (!redirectStatuses.has(answer.statusCode!) || location === undefined)
      return addAbortSignal(signal, answer)
    answer.destroy()
    const next = URL.parse(location, url)
    if (next?.protocol !== protocol) throw new Unreachable('It redirects to another protocol.')
    url = next
  }
  throw new Unreachable(`It redirects more than ${listRedirects} times.`)
}

/** The file without the compression it was sent with. */
function decoded(answer: IncomingMessage): Readable {
  // Names of codings are case-insensitive, and x-gzip is gzip (RFC 9110, 8.4.1).
  const coding = (answer.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding === 'identity') return answer
  const decoder = /^(x-)?gzip$/.test(coding)
    ? createGunzip()
    : coding === 'br'
      ? createBrotliDecompress()
      : undefined
  if (decoder === undefined) {
    answer.destroy()
    throw new Unreachable('It is compressed in a way that was not asked for.')
  }
  return pipeline(answer, decoder, () => {})
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** The bytes of a file. Throws Unreachable if it cannot be read to its end. */
export async function* read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bytes = body[Symbol.asyncIterator]()
  try {
    for (let next = await bytes.next().catch(inWords); !next.done; next = await bytes.next().catch(inWords))
      yield next.value
  } finally {
    await bytes.return?.()
  }
}

/** A stream that a signal ends has the signal's reason as the cause of its error. */
function inWords(error: unknown): never {
  if (error instanceof PrivateAddress)
    throw new Unreachable('It redirects to an address that is not public.', { cause: error })
  const { name, message, cause } = error as Error
  const tookTooLong = name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError'
  const words = tookTooLong ? `the download took more than ${listDownloadMinutes} minutes` : message
  throw new Unreachable(`It cannot be read: ${words}.`, { cause: error })
}
