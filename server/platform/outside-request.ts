import type { LookupAddress } from 'node:dns'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { PrivateAddress, publicAddressesOf } from './public-address.ts'
import { serverOf } from './tracing/outgoing.ts'
import { endSpan, errorTypeOf, startStep } from './tracing/tracing.ts'

export type OutsideRequest = {
  method: 'GET' | 'POST'
  headers: Record<string, string | number>
  body?: string | Buffer | null
  /** Ends it, also while the name is being resolved. */
  signal: AbortSignal
  /** True for a host of the operator's own: it may be anywhere, and without TLS. */
  mayBePrivate: boolean
}

/**
 * Sends a request to an address that somebody else has chosen. The name is resolved once, all its addresses must be public, and the
 * connection goes to one of those that were checked; a redirect is an answer like others.
 * @returns the answer; its body is still to be read
 * @throws PrivateAddress; Error of the network; the signal's reason
 */
export async function requestOutside(url: URL, request: OutsideRequest): Promise<IncomingMessage> {
  const { method, mayBePrivate, signal } = request
  const span = startStep(method, {
    kind: 'CLIENT',
    attributes: { 'http.request.method': method, ...serverOf(url) },
  })
  try {
    if (url.protocol !== 'https:' && !mayBePrivate) throw new PrivateAddress(url.host)
    const addresses = await untilAborted(publicAddressesOf(url.hostname, mayBePrivate), signal)
    const answer = await answerFrom(addresses, url, request)
    const status = answer.statusCode!
    span?.setAttribute('http.response.status_code', status)
    if (span) endSpan(span, status >= 400 ? String(status) : undefined)
    return answer
  } catch (error) {
    if (span) endSpan(span, errorTypeOf(error))
    throw error
  }
}

function answerFrom(
  addresses: readonly LookupAddress[],
  url: URL,
  { method, headers, body, signal }: OutsideRequest,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers,
      agent: false,
      signal,
      // The addresses that were checked: a second answer of the resolver could have others. Node tries one after the other.
      lookup: (_name, { all }, done) => {
        const [{ address, family }] = addresses as [LookupAddress]
        if (all) done(null, [...addresses])
        else done(null, address, family)
      },
    })
    // An error after the answer has begun is the body's.
    sent.on('error', reject)
    sent.once('response', resolve)
    sent.end(body)
  })
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      const abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
    }),
  ])
}
