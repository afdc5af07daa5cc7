import { clientFiles } from 'virtual:client-files'
import { type AreaPage, areas } from '#web/pages.ts'

export type Scripts = {
  /** Where it begins. */
  entry: string
  /** What it is known to need. */
  preloads: string[]
  /** What loads them once the page is painted, where it can be read, and typed into, before they are there. */
  start: string | undefined
}

const entry = 'web/entry.client.tsx'
const start = 'web/start.ts'

export function scriptsOf({ area, page }: AreaPage): Scripts {
  const isPaintedFirst = area === areas.account
  // In development Vite serves the sources as they are.
  if (!clientFiles)
    return { entry: `/${entry}`, preloads: [], start: isPaintedFirst ? `/${start}` : undefined }
  const sources = [entry, `web/${area.layout.source}`, `web/${page.source}`]
  const files = new Set(sources.flatMap(filesFrom))
  return {
    entry: addressOf(entry),
    preloads: [...files].map(file => `/${file}`),
    start: isPaintedFirst ? addressOf(start) : undefined,
  }
}

function addressOf(source: string): string {
  return `/${clientFiles![source]!.file}`
}

/** The file of a source, and of all that it imports. */
function filesFrom(source: string): string[] {
  const { file, imports = [] } = clientFiles![source]!
  return [file, ...imports.flatMap(filesFrom)]
}
