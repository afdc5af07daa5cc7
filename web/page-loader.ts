import { createContext, use } from 'react'

/** Loads the scripts of pages before they are opened. */
export type PageLoader = {
  /** Loads the pages of an area while the browser has nothing else to do. */
  preloadArea: (name: 'dashboard' | 'admin') => void
  /** Loads one page now, if online. */
  fetchPage: (path: string) => void
}

/** Provided by the app: the page list imports the layouts, so layouts cannot import the list. */
export const PageLoaderContext = createContext<PageLoader | null>(null)

export function usePageLoader(): PageLoader {
  return use(PageLoaderContext)!
}
