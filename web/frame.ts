import { createContext, useContext } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { FirmTexts } from '#shared/contract/firm-texts.ts'
import type { site } from '#shared/contract/site.ts'
import { measuredSeconds } from '#shared/limits.ts'

type SiteAnswer = CallData<typeof site>
export type Firm = Omit<SiteAnswer['firm'], 'texts'>
/** Without the firm's texts: every document of the app carries it. */
export type Site = Omit<SiteAnswer, 'firm'> & { firm: Firm }

/** What every page knows: server/frame.ts reads it, once a document. */
export type Frame = {
  site: Site
  /** What the firm says of itself, for the public pages. */
  texts: FirmTexts
  overlay: boolean
  /** Where addresses that are shown begin (WebHost.publicUrl). */
  origin: string
}

/** What the pages that run in the browser know of it. */
export type AppFrame = Omit<Frame, 'texts'>

export const FrameContext = createContext<AppFrame | undefined>(undefined)

export function useFrame(): AppFrame {
  const frame = useContext(FrameContext)
  if (!frame) throw new Error('useFrame called outside a document')
  return frame
}

/** The firm, the mode and the statistics. */
export function useSite(): Site {
  return useFrame().site
}

/** Until when the site's figures may be shown; undefined where none is measured (D1.3). */
export function shownUntil({ statistics }: Pick<Site, 'statistics'>): Date | undefined {
  const measured = statistics.filter(({ kind }) => kind === 'ledger').map(({ asOf }) => Date.parse(asOf))
  return measured.length > 0 ? new Date(Math.min(...measured) + measuredSeconds * 1000) : undefined
}
