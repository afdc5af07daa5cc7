import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { PrivateAddress, publicAddressOf } from '#server/platform/public-address.ts'
import { serverOf } from '#server/platform/tracing/outgoing.ts'
import { endSpan, errorTypeOf, startStep } from '#server/platform/tracing/tracing.ts'
import { webhookRequestSeconds } from '#shared/limits.ts'

/** How much of an answer is read; the log keeps its first characters. */
const ANSWER_BYTES = 2_000
const KEPT_CHARACTERS = 200

/** An attempt: the status of an answer, or none, with its first characters or what went wrong. */
export type Posted = { status: number | null; milliseconds: number; response: string }

type Message = { url: string; headers: Record<string, string>; body: string }

/**
 * Posts once. The name is resolved once, all its addresses must be public, and the connection goes to that address;
 * redirects are answers like others. Hosts of WEBHOOK_PRIVATE_HOSTS may be anywhere and without TLS.
 */
export async function postWebhook(
  { url, headers, body }: Message,
  { privateHosts, signal }: { privateHosts: readonly string[]; signal: AbortSignal },
): Promise<Posted> {
  const target = new URL(url)
  const began = performance.now()
  const span = startStep('POST', {
    kind: 'CLIENT',
    attributes: { 'http.request.method': 'POST', ...serverOf(target) },
  })
  const took = () => Math.round(performance.now() - began)
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(webhookRequestSeconds * 1000)])
    const mayBePrivate = privateHosts.includes(target.host)
    if (target.protocol !== 'https:' && !mayBePrivate) throw new PrivateAddress(target.host)
    const address = await untilAborted(publicAddressOf(target.hostname, mayBePrivate), limit)
    const answer = await answerOf(target, address, { headers, body, limit })
    span?.setAttribute('http.response.status_code', answer.status)
    if (span) endSpan(span, answer.status >= 400 ? String(answer.status) : undefined)
    return { ...answer, milliseconds: took() }
  } catch (error) {
    if (span) endSpan(span, errorTypeOf(error))
    return { status: null, milliseconds: took(), response: errorWordsOf(error) }
  }
}

type Sent = { headers: Record<string, string>; body: string; limit: AbortSignal }

function answerOf(target: URL, address: string, { headers, body, limit }: Sent) {
  const request = target.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise<{ status: number; response: string }>((resolve, reject) => {
    const sent = request(target, {
      method: 'POST',
      agent: false,
      signal: limit,
      // The address that was checked: a second answer of the resolver could be another one.
      lookup: (_name, { all }, done) => {
        const family = isIP(address)
        if (all) done(null, [{ address, family }])
        else done(null, address, family)
      },
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Probity-Webhooks/1',
      },
    })
    sent.once('error', reject)
    sent.once('response', answer => {
      firstOf(answer).then(response => resolve({ status: answer.statusCode!, response }), reject)
    })
    sent.end(body)
  })
}

/** The first characters of an answer; the rest is not read. */
async function firstOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer) {
    parts.push(part as Buffer)
    size += (part as Buffer).length
    if (size >= ANSWER_BYTES) break
  }
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
  return text.slice(0, KEPT_CHARACTERS)
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

/** What went wrong, in words of ours: errors of the network can name inner addresses. */
function errorWordsOf(error: unknown): string {
  if (error instanceof PrivateAddress) return 'Not sent: this address is not public'
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError' || name === 'AbortError')
    return `No answer within ${webhookRequestSeconds} seconds`
  return `No connection (${code ?? 'unknown error'})`
}
