import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { ChainError } from '#server/rails/chain.ts'
import { type Answer, answerOf } from '#server/rails/http.ts'

/**
 * How long TronGrid blocks a client after too many requests, if it does not say (developers.tron.network, "Rate
 * Limits").
 */
const SUSPENDED_MS = 30_000

/** TronGrid, or a TRON node: both have the same interface. */
export type Service = {
  /**
   * Its answer, checked against its form. No retries.
   * @throws ChainError
   */
  ask<Form extends z.ZodType>(path: string, body: object, form: Form): Promise<z.output<Form>>
}

export type ServiceSettings = {
  /** Its origin, such as https://api.trongrid.io, with user and password if needed. */
  url: string
  apiKey: string | undefined
  /** Maximum requests per second; null: no limit. */
  requestsPerSecond: number | null
}

/** When the next request may be sent to a service. Blocks and balances share its limit, so this is per process. */
const turns = new Map<string, { next: number }>()

function turnsOf(service: string): { next: number } {
  const known = turns.get(service) ?? { next: 0 }
  turns.set(service, known)
  return known
}

export function serviceAt({ url, apiKey, requestsPerSecond }: ServiceSettings): Service {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey }),
  }
  const last = turnsOf(`${url} ${apiKey}`)
  /** Resolves when it is this request's turn. */
  const turn = async () => {
    if (requestsPerSecond === null) return
    const at = Math.max(last.next, performance.now())
    last.next = at + 1000 / requestsPerSecond
    const wait = at - performance.now()
    if (wait > 0) await delay(wait)
  }
  return {
    async ask(path, body, form) {
      await turn()
      const answer = await answerOf(path, { url: `${url}${path}`, headers, body: JSON.stringify(body) })
      const text = textOf(path, answer)
      const parsed = form.safeParse(jsonOf(path, text))
      if (parsed.success) return parsed.data
      const { path: where, message } = parsed.error.issues[0]!
      throw new ChainError(`${path}: unexpected answer, ${[...where, message].join(' ')}`)
    },
  }
}

function textOf(path: string, { status, body, waitMs }: Answer): string {
  const text = body.toString('utf8')
  if (status >= 200 && status < 300) return text
  throw new ChainError(`${path}: HTTP ${status}`, { waitMs: waitMs ?? suspendedMs(status, text) })
}

/** How long to wait, if it says so in its answer and not in a header. */
function suspendedMs(status: number, text: string): number | undefined {
  const seconds = /suspended for (\d{1,5}) ?s/.exec(text)?.[1]
  if (seconds !== undefined) return Number(seconds) * 1000
  return status === 403 || status === 429 ? SUSPENDED_MS : undefined
}

/** A node's message for an impossible request, with status 200. */
const refusal = z.object({ Error: z.string() })

function jsonOf(path: string, text: string): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new ChainError(`${path}: the answer is not JSON`)
  }
  const refused = refusal.safeParse(answer)
  if (refused.success) throw new ChainError(`${path}: ${refused.data.Error.slice(0, 200)}`)
  return answer
}
