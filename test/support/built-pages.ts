import type { Pages } from '#server/http/pages.ts'
import { builtPages } from '#server/process/web.ts'
import { buildProduct, isBuildStale } from '#tools/product-build.ts'

/** The built pages, rebuilt if their sources have changed. */
export async function currentPages(): Promise<Pages> {
  if (isBuildStale()) await buildProduct(console.log)
  return builtPages()
}
