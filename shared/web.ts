import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'

/**
 * Where the web server and the pages meet: the server bundle of the pages (build/server/index.js) exports
 * `handle`, a `WebHandler`; the server gives it each request that is neither /api nor a file.
 */

/** What the pages may ask of the server while one document is rendered. Made anew for every request. */
export type WebHost = {
  /**
   * Calls the API in process, as the visitor of this request (his address counts for limits) but signed in as nobody.
   * @throws AppError with the refusal's code, message and fields; anything else is a fault of the server.
   */
  call<C extends CallDefinition>(call: C, input: CallInput<C>): Promise<CallData<C>>
  /** The nonce of this answer's Content-Security-Policy, for scripts and for style elements. */
  cspNonce: string
  /** Writes a fault of a page to the server's log. */
  logError(error: unknown): void
}

/** Renders one document, or carries out one form post. Never rejects: faults become an answer with status 500. */
export type WebHandler = (request: Request, host: WebHost) => Promise<Response>
