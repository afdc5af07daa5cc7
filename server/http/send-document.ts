import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Document } from './document-cache.ts'
import { type Encoding, encodingFor, hasVersion } from './negotiation.ts'

/** Content types worth compressing. */
const TEXT = /^(text\/|application\/([\w.-]+\+)?(json|javascript|xml)\b|image\/svg)/
/** Always revalidated, so a document is current, and its ETag avoids sending it again. Shared caches store only files. */
export const DOCUMENT_CACHING = 'private, no-cache'

/** Sends a document's bytes in the best encoding, or 304 if the client has them. */
export async function sendDocument(
  document: Document,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, headers } = document
  // Hardly ever cached, so not worth compressing for each request.
  const encoding = status < 500 ? encodingOf(request, headers) : 'identity'
  reply.header('cache-control', DOCUMENT_CACHING)
  reply.status(status).headers(headers)
  if (status === 200) {
    const etag = document.etag(encoding)
    reply.header('etag', etag)
    if (hasVersion(request.headers['if-none-match'], etag)) return reply.status(304).send()
  }
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(await document.bytes(encoding))
}

export function encodingOf({ headers }: FastifyRequest, own: Document['headers']): Encoding {
  return TEXT.test(String(own['content-type'])) ? encodingFor(headers['accept-encoding']) : 'identity'
}
