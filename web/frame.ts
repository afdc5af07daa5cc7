import { useRouteLoaderData } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'

export type Site = CallData<typeof site>
export type Frame = { site: Site; overlay: boolean }

/** What the root loader knows; undefined only on the page that reports its failure. */
export function useFrame(): Frame | undefined {
  return useRouteLoaderData<Frame>('root')
}

/** The firm, the mode and the statistics. For pages, which stand below the root and so always have it. */
export function useSite(): Site {
  const frame = useFrame()
  if (!frame) throw new Error('useSite outside of the root route')
  return frame.site
}
