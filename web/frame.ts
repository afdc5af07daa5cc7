import { useRouteLoaderData } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'
import { measuredSeconds } from '#shared/limits.ts'

export type Site = CallData<typeof site>
export type Frame = {
  site: Site
  overlay: boolean
  /** Where addresses that are shown begin (WebHost.publicUrl). */
  origin: string
  /** The status of a page that cannot be shown: what it needs of the server is away. */
  fault?: number
}

/** What the root loader knows; undefined only where that failed itself. */
export function useFrame(): Frame | undefined {
  return useRouteLoaderData<Frame>('root')
}

/** The firm, the mode and the statistics. For pages, which stand below the root and so always have it. */
export function useSite(): Site {
  const frame = useFrame()
  if (!frame) throw new Error('useSite outside of the root route')
  return frame.site
}

/** Until when the site's figures may be shown; undefined where none is measured (D1.3). */
export function shownUntil({ statistics }: Pick<Site, 'statistics'>): Date | undefined {
  const measured = statistics.filter(({ kind }) => kind === 'ledger').map(({ asOf }) => Date.parse(asOf))
  return measured.length > 0 ? new Date(Math.min(...measured) + measuredSeconds * 1000) : undefined
}
