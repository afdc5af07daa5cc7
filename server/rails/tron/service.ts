import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { ChainFault } from '#server/rails/chain.ts'

/** How long one request may take, in milliseconds. */
const ANSWER_MS = 10_000
/** Letters of one answer: the largest blocks with their transactions are about a tenth of that. */
const MOST_LETTERS = 32 * 2 ** 20
/** How long TronGrid leaves somebody out who asked too much, where it does not say (developers.tron.network, "Rate Limits"). */
const SUSPENDED_MS = 30_000

/** TronGrid, or a node of TRON: they have the same interface. */
export type Service = {
  /** What it answers, in the form that it must have. Nothing is tried twice. @throws ChainFault */
  ask<Form extends z.ZodType>(path: string, body: object, form: Form): Promise<z.output<Form>>
}

export type ServiceSettings = {
  /** Its origin, such as https://api.trongrid.io. */
  url: string
  apiKey: string | undefined
  /** Requests are spread out to that many a second; TronGrid allows 15 with a key. */
  requestsPerSecond: number
}

export function serviceAt({ url, apiKey, requestsPerSecond }: ServiceSettings): Service {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey }),
  }
  let next = 0
  /** Resolves when it is this request's turn. */
  const turn = async () => {
    const at = Math.max(next, performance.now())
    next = at + 1000 / requestsPerSecond
    const wait = at - performance.now()
    if (wait > 0) await delay(wait)
  }
  return {
    async ask(path, body, form) {
      await turn()
      const signal = AbortSignal.timeout(ANSWER_MS)
      const text = await fetch(`${url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal,
      })
        .then(response => bodyOf(path, response))
        .catch(error => {
          throw error instanceof ChainFault ? error : new ChainFault(`${path}: ${noAnswer(error)}`)
        })
      const parsed = form.safeParse(jsonOf(path, text))
      if (parsed.success) return parsed.data
      const { path: where, message } = parsed.error.issues[0]!
      throw new ChainFault(`${path}: unforeseen answer, ${[...where, message].join(' ')}`)
    },
  }
}

async function bodyOf(path: string, response: Response): Promise<string> {
  let text = ''
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (text.length > MOST_LETTERS) throw new ChainFault(`${path}: an answer without end`)
  }
  if (response.ok) return text
  throw new ChainFault(`${path}: HTTP ${response.status}`, { waitMs: waitOf(response, text) })
}

/** How long to leave it alone: Retry-After (RFC 9110), or what TronGrid writes into its answer. */
function waitOf({ status, headers }: Response, text: string): number | undefined {
  const seconds = headers.get('retry-after') ?? /suspended for (\d{1,5}) ?s/.exec(text)?.[1] ?? ''
  if (/^\d{1,5}$/.test(seconds)) return Number(seconds) * 1000
  return status === 403 || status === 429 ? SUSPENDED_MS : undefined
}

function noAnswer(error: unknown): string {
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  return isLate ? `no answer within ${ANSWER_MS / 1000} s` : 'it cannot be reached'
}

/** What a node says of a request that it cannot do, with status 200. */
const refusal = z.object({ Error: z.string() })

function jsonOf(path: string, text: string): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new ChainFault(`${path}: what it answers is no JSON`)
  }
  const refused = refusal.safeParse(answer)
  if (refused.success) throw new ChainFault(`${path}: ${refused.data.Error.slice(0, 200)}`)
  return answer
}
