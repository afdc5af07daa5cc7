import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'

/**
 * Where the web server and the pages meet: the server bundle of the pages (build/server/index.js) exports a `Web`; the
 * server gives it each request that is neither /api nor a file.
 */
export type Web = { handle: WebHandler; commonDocument: CommonDocumentOf }

/** What the pages may ask of the server while one document is rendered. Made anew for every request. */
export type WebHost = {
  /**
   * Calls the API in process, as the visitor of this request (his address counts for limits) but signed in as nobody.
   * @throws AppError with the refusal's code, message and fields; anything else is a fault of the server.
   */
  call<C extends CallDefinition>(call: C, input: CallInput<C>): Promise<CallData<C>>
  /** The latest answer to the call `site`, or what is configured: what a page can show while that call fails. */
  readonly knownSite: CallData<typeof site>
  /**
   * This document brings scripts: its content security policy allows files of this origin. The policy of one that has not
   * said so allows none.
   * @throws where the document is one that is kept for everybody
   */
  bringScripts(): void
  /**
   * The configured origin under which people reach the product, without a slash at its end. For addresses that are
   * shown or sent: the Host of a request is whatever its sender likes.
   */
  readonly publicUrl: string
  /** The document shows something that is not to be shown after this moment. */
  validUntil(moment: Date): void
  /** Writes a fault of a page to the server's log. */
  logError(error: unknown): void
}

/** Renders one document, or carries out one form post. Never rejects: faults become an answer with status 500. */
export type WebHandler = (request: Request, host: WebHost) => Promise<Response>

/**
 * A document that is the same for everybody: the request that it is rendered from, in which nothing is a visitor's own.
 * There are few of them, however many addresses visitors think of.
 */
export type CommonDocument = {
  /** Path and query. */
  address: string
  /** The Cookie header; undefined where no cookie makes a difference. */
  cookie: string | undefined
}

/** The common document that answers a GET of this address; undefined where one is made for each visitor. */
export type CommonDocumentOf = (address: URL, cookies: string) => CommonDocument | undefined
