import { createContext, useContext } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { FirmTexts } from '#shared/contract/firm-texts.ts'
import type { site } from '#shared/contract/site.ts'
import type { LegalParagraph } from '#shared/legal.ts'
import { measuredSeconds } from '#shared/limits.ts'
import type { Theme } from './theme.ts'

type SiteAnswer = CallData<typeof site>
export type Firm = Omit<SiteAnswer['firm'], 'texts'>
/** Without the firm's texts, because every document of the app carries it. */
export type Site = Omit<SiteAnswer, 'firm'> & { firm: Firm }

/** Data of every page; server/frame.ts reads it once per document. */
export type Frame = {
  site: Site
  /** The end of every page, in its language. */
  legal: readonly LegalParagraph[]
  /** The firm's own texts, for the public pages. */
  texts: FirmTexts
  overlay: boolean
  /** On the document's element, for the styles alone. */
  theme: Theme
  /** Origin of shown addresses (WebHost.publicUrl). */
  origin: string
}

/** The part that browser pages know. */
export type AppFrame = Omit<Frame, 'texts' | 'theme'>

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

/** When measured figures become too old to show (D1.3), and when another version of a policy comes into force. */
export function shownUntil({ statistics, policies }: Pick<Site, 'statistics' | 'policies'>): Date[] {
  const measured = statistics.filter(({ kind }) => kind === 'ledger')
  return [
    ...measured.map(({ asOf }) => new Date(Date.parse(asOf) + measuredSeconds * 1000)),
    ...policies.flatMap(({ nextFrom }) => (nextFrom === null ? [] : [new Date(nextFrom)])),
  ]
}
