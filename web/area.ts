import { type LazyModule, lazyModule } from './lazy-module.ts'
import type { LayoutModule, PageModule } from './page.ts'

export type Page = LazyModule<PageModule> & {
  /** React Router pattern, from the root. */
  path: string
  /** Exists in the demonstration only (D2). */
  demoOnly?: boolean
}
export type Area = {
  layout: LazyModule<LayoutModule>
  pages: Page[]
  /** Prefetches the first reads of its pages; only areas with a menu have them. */
  reads?: () => Promise<{ readPage: (path: string) => void }>
}

export const page = (path: string, get: () => Promise<PageModule>): Page => ({ path, ...lazyModule(get) })

export type AreaPage = { area: Area; page: Page }
