import { HttpRequestError, http, RpcRequestError, TimeoutError } from 'viem'
import type { z } from 'zod'
import { ChainError } from '#server/rails/chain.ts'

/** Timeout of one HTTP request to a node, in milliseconds. */
const ANSWER_MS = 10_000
/** Concurrent requests share a batch; providers refuse longer ones. */
const REQUESTS_AT_ONCE = 100
/** Ten full blocks of the main network have about 4 MB. */
const MOST_BYTES = 64 * 2 ** 20

/** A node's JSON-RPC. */
export type Node = {
  /**
   * The node's answer, checked against its form. No retries.
   * @throws ChainError
   */
  ask<Form extends z.ZodType>(method: string, params: readonly unknown[], form: Form): Promise<z.output<Form>>
  /**
   * Why the node refuses a transaction, in its own words; null if it accepts it.
   * @throws ChainError if it did not judge the transaction
   */
  refusal(method: string, params: readonly unknown[]): Promise<string | null>
}

/** @param url http(s), with user and password if needed; it may contain a provider's key, so no error repeats it */
export function nodeAt(url: string): Node {
  const transport = http(url, {
    batch: { batchSize: REQUESTS_AT_ONCE },
    retryCount: 0,
    timeout: ANSWER_MS,
    maxResponseBodySize: MOST_BYTES,
    // No redirects: a provider's key goes only where the operator sends it.
    fetchOptions: { redirect: 'error' },
  })({})
  return {
    async ask(method, params, form) {
      const answer = await transport.request({ method, params }).catch(error => {
        throw chainErrorOf(method, error)
      })
      const parsed = form.safeParse(answer)
      if (parsed.success) return parsed.data
      const { path, message } = parsed.error.issues[0]!
      throw new ChainError(`${method}: unexpected answer, ${[...path, message].join(' ')}`)
    },
    async refusal(method, params) {
      try {
        await transport.request({ method, params })
        return null
      } catch (error) {
        const refused = rpcErrorOf(error)
        if (refused === undefined || unjudged.has(refused.code)) throw chainErrorOf(method, error)
        return withoutAddress(refused.details, url).slice(0, 200)
      }
    },
  }
}

/**
 * JSON-RPC 2.0's own errors (all but "invalid params", the answer to bytes that are no transaction), and "method not
 * supported" and "limit exceeded" of EIP-1474. Nodes use many other codes for refused transactions.
 */
const unjudged: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_603, -32_004, -32_005, 429])

function rpcErrorOf(error: unknown): RpcRequestError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RpcRequestError) return cause
  return undefined
}

/** A provider may repeat its address, which contains the key: only words that are in no part of it remain. */
function withoutAddress(words: string, url: string): string {
  const { host, username, password, pathname, search } = new URL(url)
  const parts = [host, username, password, ...pathname.split('/'), ...search.split(/[?&=]/)]
  // A short part, such as "v3", is no secret.
  const secrets = parts.filter(part => part.length >= 8)
  return secrets.reduce(
    (text, secret) => text.replaceAll(secret, '…'),
    words.replaceAll(/https?:\/\/\S+/g, '…'),
  )
}

/** What went wrong, without the node's address, which viem's messages repeat. */
function chainErrorOf(method: string, error: unknown): ChainError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TimeoutError) {
      return new ChainError(`${method}: no answer within ${ANSWER_MS / 1000} s`)
    }
    if (cause instanceof RpcRequestError) {
      return new ChainError(`${method}: error ${cause.code}`, { details: cause.details.slice(0, 200) })
    }
    if (cause instanceof HttpRequestError && cause.status !== undefined) {
      return new ChainError(`${method}: HTTP ${cause.status}`, { waitMs: waitOf(cause.headers) })
    }
  }
  return new ChainError(`${method}: the node cannot be reached, or answers no JSON`)
}

/** Retry-After in seconds (RFC 9110, 10.2.3), in milliseconds. */
function waitOf(headers: Headers | undefined): number | undefined {
  const seconds = headers?.get('retry-after') ?? ''
  return /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}
