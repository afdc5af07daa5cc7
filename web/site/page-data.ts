import { createContext, useContext } from 'react'
import type { FirmTexts } from '#shared/contract/firm-texts.ts'
import type { WebHost } from '#shared/web.ts'
import type { Frame } from '#web/frame.ts'
import type { MetaTag, PageModule } from '#web/page.ts'

/** One request for a public page: what was asked, and the server behind it. */
export type Visit = { request: Request; host: WebHost }

/** What a page shows beside the frame, and with which status. */
export type Loaded<Data = unknown> = { status?: number; data?: Data }

/** What the module of a public page exports: it runs on the server only. */
export type SitePage = Omit<PageModule, 'meta'> & {
  meta(frame: Frame): MetaTag[]
  /** @throws PageFault where the page cannot be shown */
  load?(visit: Visit): Promise<Loaded>
  /** Takes a form that was posted: leads on, or shows the page again with what was wrong, whatever else is away. */
  act?(visit: Visit): Promise<Loaded | Response>
}

/** A file that is made for each request. */
export type Resource = { respond(visit: Visit): Response | Promise<Response> }

export const PageDataContext = createContext<unknown>(undefined)

/** What the firm says of itself; the pages of the browser have no use for it. */
export const TextsContext = createContext<FirmTexts | undefined>(undefined)

export function useTexts(): FirmTexts {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('useTexts outside of a public page')
  return texts
}

/** What the page's `load` or `act` answered; undefined where it has none. */
export function usePageData<Data>(): Data | undefined {
  return useContext(PageDataContext) as Data | undefined
}
