import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'
import type { Language } from '#shared/i18n/languages.ts'

/**
 * Interface between server and pages: the pages' bundle (build/server/index.js) exports a `Web`, which handles each
 * request that is neither /api nor a file.
 */
export type Web = {
  handle: WebHandler
  commonDocument: CommonDocumentOf
  /** True if the page at this address handles posted forms. */
  takesForms(address: URL): boolean
  standIn: StandIn
  /** The language of what answers an address, which a cookie may choose. */
  languageOf(address: URL, cookies: string): Language
}

/** Renders the page that stands in for one that is refused or not available, without calling the API. */
export type StandIn = (
  status: number,
  language: Language,
  host: Pick<WebHost, 'knownSite' | 'publicUrl'>,
) => Promise<Response>

/** What pages may ask of the server while rendering one request. */
export type WebHost = {
  /**
   * Calls the API in process, signed out, with the visitor's address for rate limits.
   * @param language of refusals; English if none is named
   * @throws AppError for a refusal; anything else is an unexpected error
   */
  call<C extends CallDefinition>(call: C, input: CallInput<C>, language?: Language): Promise<CallData<C>>
  /** The latest answer of `site` in a language, or the configured values. */
  knownSite(language: Language): CallData<typeof site>
  /** Allows scripts of this origin in the document's content security policy. */
  bringScripts(): void
  /** The configured public origin without a final slash, because a sender controls the Host header. */
  readonly publicUrl: string
  /** Limits how long the document may be shown. */
  validUntil(moment: Date): void
  /** Logs a page's error. */
  logError(error: unknown): void
}

/** Renders a document or handles a form post. Never rejects: errors become a 500. */
export type WebHandler = (request: Request, host: WebHost) => Promise<Response>

/** A document shared by all visitors: the request it is rendered from, without anything personal. */
export type CommonDocument = {
  /** Path and query. */
  address: string
  /** The Cookie header, if a cookie matters. */
  cookie: string | undefined
}

/** The shared document for an address; undefined if its answer is not shared. */
export type CommonDocumentOf = (address: URL, cookies: string) => CommonDocument | undefined
