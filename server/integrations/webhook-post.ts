import type { IncomingMessage } from 'node:http'
import { requestOutside } from '#server/platform/outside-request.ts'
import { PrivateAddress } from '#server/platform/public-address.ts'
import { webhookRequestSeconds } from '#shared/limits.ts'

/** How much of an answer is read; the log keeps its first characters. */
const ANSWER_BYTES = 2_000
const KEPT_CHARACTERS = 200

/** An attempt: the status of an answer, or none, with its first characters or what went wrong. */
export type Posted = { status: number | null; milliseconds: number; response: string }

type Message = { url: string; headers: Record<string, string>; body: string }

/**
 * Posts once, to public addresses alone. Hosts of WEBHOOK_PRIVATE_HOSTS may be anywhere and without TLS.
 * @returns null if the signal ended it before an answer began
 */
export async function postWebhook(
  { url, headers, body }: Message,
  { privateHosts, signal }: { privateHosts: readonly string[]; signal: AbortSignal },
): Promise<Posted | null> {
  const target = new URL(url)
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const answer = await requestOutside(target, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Probity-Webhooks/1',
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(webhookRequestSeconds * 1000)]),
      mayBePrivate: privateHosts.includes(target.host),
    })
    const response = await firstOf(answer)
    return { status: answer.statusCode!, milliseconds: took(), response }
  } catch (error) {
    if (signal.aborted) return null
    return { status: null, milliseconds: took(), response: errorWordsOf(error) }
  }
}

/** The first characters of an answer that come in time; the rest is not read. Its status counts without them. */
async function firstOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of answer) {
      parts.push(part as Buffer)
      size += (part as Buffer).length
      if (size >= ANSWER_BYTES) break
    }
  } catch {
    // It was cut off, or took too long.
  }
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
  return text.slice(0, KEPT_CHARACTERS)
}

/** What went wrong, in words of ours: errors of the network can name inner addresses. */
function errorWordsOf(error: unknown): string {
  if (error instanceof PrivateAddress) return 'Not sent: this address is not public'
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError' || name === 'AbortError')
    return `No answer within ${webhookRequestSeconds} seconds`
  return `No connection (${code ?? 'unknown error'})`
}
