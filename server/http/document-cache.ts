import { createHash } from 'node:crypto'
import { compressed, largeEffort, mostEffort } from './compression.ts'
import type { Encoding } from './negotiation.ts'

/** More than all pages and their variants in each language; beyond it, the oldest is dropped. */
export const MOST_DOCUMENTS = 2_048
/** A larger one is rendered for every request. */
const LARGEST_BYTES = 2 * 1024 * 1024

/** A document as the pages made it. */
export type Rendered = {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
  /** Show it no longer than this. */
  until: number
}

/** A rendered document, ready to be sent in each encoding. */
export type Document = Omit<Rendered, 'until'> & {
  /** The bytes in one encoding, compressed on first use. */
  bytes(encoding: Encoding): Promise<Buffer> | Buffer
  /** Strong, one for each encoding. */
  etag(encoding: Encoding): string
}

/** Shared documents, each cached until something that it shows changes. */
export type DocumentCache = {
  /** The cached document, if it is still current. */
  find(key: string): Document | undefined
  /** Renders it. Concurrent callers share one rendering; a failure rejects them all and is not cached. */
  make(key: string, render: () => Promise<Rendered>): Promise<Document>
  /** Something that documents show has changed: drops all documents, even those in progress. */
  expire(): void
}

type Kept = { document: Document; generation: number; until: number }
type Making = { document: Promise<Document>; generation: number }

/**
 * @param now milliseconds
 * @param isInformed false without change notifications: then nothing is cached
 */
export function documentCache(now: () => number, isInformed: () => boolean): DocumentCache {
  const kept = new Map<string, Kept>()
  const making = new Map<string, Making>()
  let generation = 0

  /** Unchanged content keeps its compressed bytes. */
  function keep(key: string, rendered: Rendered, begun: number): Document {
    const before = kept.get(key)
    const document = before && isSame(before.document, rendered) ? before.document : documentOf(rendered)
    const outrun = before !== undefined && before.generation > begun
    if (rendered.status >= 500 || rendered.body.length > LARGEST_BYTES || outrun) return document
    kept.delete(key)
    kept.set(key, { document, generation: begun, until: rendered.until })
    const [oldest] = kept.keys()
    if (kept.size > MOST_DOCUMENTS) kept.delete(oldest!)
    return document
  }

  return {
    find(key) {
      const found = kept.get(key)
      if (found === undefined || found.generation !== generation || !isInformed()) return undefined
      return now() < found.until ? found.document : undefined
    },
    make(key, render) {
      const running = making.get(key)
      if (running?.generation === generation && isInformed()) return running.document
      const begun = generation
      const document = render().then(rendered => keep(key, rendered, begun))
      const own: Making = { document, generation: begun }
      making.set(key, own)
      const forget = () => void (making.get(key) === own && making.delete(key))
      document.then(forget, forget)
      return document
    },
    expire() {
      generation++
    },
  }
}

function isSame(document: Document, { status, headers, body }: Rendered): boolean {
  return (
    document.status === status &&
    document.body.equals(body) &&
    JSON.stringify(document.headers) === JSON.stringify(headers)
  )
}

export function documentOf({ status, headers, body }: Omit<Rendered, 'until'>): Document {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  const forms: Partial<Record<Encoding, Promise<Buffer> | Buffer>> = { identity: body }
  return {
    status,
    headers,
    body,
    etag: encoding => (encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`),
    bytes(encoding) {
      const form = forms[encoding]
      if (form !== undefined) return form
      const made = compressed(encoding, body, body.length < 1_000_000 ? mostEffort : largeEffort)
      forms[encoding] = made
      made.then(
        bytes => {
          forms[encoding] = bytes
        },
        () => delete forms[encoding],
      )
      return made
    },
  }
}
