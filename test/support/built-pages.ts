import type { Pages } from '#server/http/pages.ts'
import { builtPages } from '#server/process/web.ts'
import { buildWeb, isWebBuildStale } from '#tools/web-build.ts'

/** The built pages, rebuilt if their sources have changed. */
export async function currentPages(): Promise<Pages> {
  if (isWebBuildStale()) await buildWeb(console.log)
  return builtPages()
}
