import type { Pages } from '#server/http/pages.ts'
import { builtPages } from '#server/web.ts'
import { buildWeb, isWebBuildStale } from '#tools/web-build.ts'

/** The pages as they are served, built anew where their sources have changed since. */
export async function currentPages(): Promise<Pages> {
  if (isWebBuildStale()) await buildWeb(console.log)
  return builtPages()
}
