import { HttpRequestError, http, RpcRequestError, TimeoutError } from 'viem'
import type { z } from 'zod'
import { ChainFault } from '#server/rails/chain.ts'

/** How long one HTTP request to a node may take, in milliseconds. */
const ANSWER_MS = 10_000
/** Requests that go out in the same moment travel as one; providers refuse longer batches. */
const REQUESTS_AT_ONCE = 100
/** Ten full blocks of the main network are about 4 MB. */
const MOST_BYTES = 64 * 2 ** 20

/** A node of Ethereum, asked by JSON-RPC. */
export type Node = {
  /** What the node answers, in the form that it must have. Nothing is tried twice. @throws ChainFault */
  ask<Form extends z.ZodType>(method: string, params: readonly unknown[], form: Form): Promise<z.output<Form>>
}

/** @param url http(s), with user and password where the node asks for them; it may hold a provider's key, so no fault repeats it */
export function nodeAt(url: string): Node {
  const transport = http(url, {
    batch: { batchSize: REQUESTS_AT_ONCE },
    retryCount: 0,
    timeout: ANSWER_MS,
    maxResponseBodySize: MOST_BYTES,
    // A provider's key goes where the operator sends it alone.
    fetchOptions: { redirect: 'error' },
  })({})
  return {
    async ask(method, params, form) {
      const answer = await transport.request({ method, params }).catch(error => {
        throw faultOf(method, error)
      })
      const parsed = form.safeParse(answer)
      if (parsed.success) return parsed.data
      const { path, message } = parsed.error.issues[0]!
      throw new ChainFault(`${method}: unforeseen answer, ${[...path, message].join(' ')}`)
    },
  }
}

/** What went wrong, without the node's address, which viem's own words repeat. */
function faultOf(method: string, error: unknown): ChainFault {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TimeoutError) {
      return new ChainFault(`${method}: no answer within ${ANSWER_MS / 1000} s`)
    }
    if (cause instanceof RpcRequestError) {
      return new ChainFault(`${method}: error ${cause.code}`, { details: cause.details.slice(0, 200) })
    }
    if (cause instanceof HttpRequestError && cause.status !== undefined) {
      return new ChainFault(`${method}: HTTP ${cause.status}`, { waitMs: waitOf(cause.headers) })
    }
  }
  return new ChainFault(`${method}: the node cannot be reached, or answers no JSON`)
}

/** Retry-After in seconds (RFC 9110, 10.2.3), in milliseconds. */
function waitOf(headers: Headers | undefined): number | undefined {
  const seconds = headers?.get('retry-after') ?? ''
  return /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}
