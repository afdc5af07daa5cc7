import { clientFiles } from 'virtual:client-files'
import { type AreaPage, areas } from '#web/pages.ts'

export type Scripts = {
  nonce: string
  /** Where it begins. */
  entry: string
  /** What it is known to need. */
  preloads: string[]
  /** The page can be read, and typed into, before they are there: they leave the line to its style and letters. */
  afterPaint: boolean
}

const entry = 'web/entry.client.tsx'

/** @param nonce of the document's content security policy */
export function scriptsOf({ area, page }: AreaPage, nonce: string): Scripts {
  const afterPaint = area === areas.account
  // In development Vite serves the sources as they are.
  if (!clientFiles) return { nonce, entry: `/${entry}`, preloads: [], afterPaint }
  const sources = [entry, `web/${area.layout.source}`, `web/${page.source}`]
  const files = new Set(sources.flatMap(filesFrom))
  return { nonce, entry: addressOf(entry), preloads: [...files].map(file => `/${file}`), afterPaint }
}

function addressOf(source: string): string {
  return `/${clientFiles![source]!.file}`
}

/** The file of a source, and of all that it imports. */
function filesFrom(source: string): string[] {
  const { file, imports = [] } = clientFiles![source]!
  return [file, ...imports.flatMap(filesFrom)]
}
