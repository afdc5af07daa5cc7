import { createContext, useContext } from 'react'
import type { FirmTexts } from '#shared/contract/firm-texts.ts'
import type { WebHost } from '#shared/web.ts'
import type { Frame } from '#web/frame.ts'
import type { MetaTag, PageModule } from '#web/page.ts'

/** A request for a public page, and the server that answers its calls. */
export type Visit = { request: Request; host: WebHost }

/** A page's own data, and its status. */
export type Loaded<Data = unknown> = { status?: number; data?: Data }

/** The exports of a public page's module, which runs on the server only. */
export type SitePage = Omit<PageModule, 'meta'> & {
  meta(frame: Frame): MetaTag[]
  /** @throws PageError if the page cannot be shown */
  load?(visit: Visit): Promise<Loaded>
  /** Handles a posted form: redirects, or shows the page again with its errors. */
  act?(visit: Visit): Promise<Loaded | Response>
}

/** A file generated per request. */
export type Resource = {
  respond(visit: Visit): Response | Promise<Response>
  /** True if it has an address in each language, as pages have; otherwise it is in English. */
  inEachLanguage?: boolean
}

export const PageDataContext = createContext<unknown>(undefined)

/** The firm's own texts, used by the public pages only. */
export const TextsContext = createContext<FirmTexts | undefined>(undefined)

export function useTexts(): FirmTexts {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('useTexts outside of a public page')
  return texts
}

/** The data of the page's `load` or `act`; undefined without one. */
export function usePageData<Data>(): Data | undefined {
  return useContext(PageDataContext) as Data | undefined
}
