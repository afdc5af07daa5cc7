/** Made by tools/page-dates.ts. */
declare module 'virtual:page-dates' {
  export const pageDates: Record<string, string>
}

/** Made by vite.config.ts: the browser build's files by source; undefined while Vite serves the sources. */
declare module 'virtual:client-files' {
  import type { Language } from '#shared/i18n/languages.ts'

  export const clientFiles: Record<Language, Record<string, { file: string; imports?: string[] }>> | undefined
  /** Made by tools/page-sources.ts. */
  export const sources: Record<string, string>
}

/** Defined by start.ts in documents whose HTML is the page already: the account pages. */
declare var takeOver:
  | {
      /** When React begins to take over the elements: undoes what others have changed. Later calls do nothing. */
      begin(): void
      /** Once React answers events: repeats the last early submission and press. */
      end(): void
    }
  | undefined
