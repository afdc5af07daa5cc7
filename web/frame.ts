import { createContext, useContext } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'
import { measuredSeconds } from '#shared/limits.ts'

export type Site = CallData<typeof site>

/** What every page knows: server/frame.ts reads it, once a document. */
export type Frame = {
  site: Site
  overlay: boolean
  /** Where addresses that are shown begin (WebHost.publicUrl). */
  origin: string
}

export const FrameContext = createContext<Frame | undefined>(undefined)

export function useFrame(): Frame {
  const frame = useContext(FrameContext)
  if (!frame) throw new Error('useFrame outside of a document')
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
