import { createHash } from 'node:crypto'
import { publicAddressesOf } from '#server/platform/public-address.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
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
  const response = await follow(address, {
    headers: isKnown ? conditions(known) : {},
    signal: signal ? AbortSignal.any([signal, ends]) : ends,
  })
  if (!response.ok || !response.body) {
    // Else what it sends is read on, or the connection stays open.
    await response.body?.cancel()
    if (isKnown && response.status === 304) return null
    throw new Unreachable(`It answered with status ${response.status}.`)
  }
  const { headers } = response
  return {
    content: read(response.body),
    version: {
      source,
      etag: headers.get('etag') || null,
      lastModified: headers.get('last-modified') || null,
    },
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
  init: { headers: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  let url = new URL(address)
  const { protocol, hostname } = url
  for (let redirects = 0; redirects <= listRedirects; redirects++) {
    const response = await send(url, { method: 'GET', redirect: 'manual', ...init }).catch(inWords)
    const location = response.headers.get('location')
    if (!redirectStatuses.has(response.status) || location === null) return response
    await response.body?.cancel()
    const next = URL.parse(location, url)
    if (next?.protocol !== protocol) throw new Unreachable('It redirects to another protocol.')
    // The operator chose the first host; the publisher does not lead on into our own network.
    if (next.hostname !== hostname) await publicAddressesOf(next.hostname, false).catch(inWords)
    url = next
  }
  throw new Unreachable(`It redirects more than ${listRedirects} times.`)
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

/** What happened is in the cause of an error of fetch. */
function inWords(error: unknown): never {
  const { name, message, cause } = error as Error
  const words =
    name === 'TimeoutError'
      ? `the download took more than ${listDownloadMinutes} minutes`
      : ((cause as Error | undefined)?.message ?? message)
  throw new Unreachable(`It cannot be read: ${words}.`, { cause: error })
}
