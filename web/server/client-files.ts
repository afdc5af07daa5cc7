import { clientFiles } from 'virtual:client-files'
import type { AreaPage } from '#web/pages.ts'

/** The scripts of a document: where it begins, and what it is known to need. */
export type Scripts = { nonce: string; entry: string; preloads: string[] }

const entry = 'web/entry.client.tsx'

/** @param nonce of the document's content security policy */
export function scriptsOf({ area, page }: AreaPage, nonce: string): Scripts {
  // In development Vite serves the sources as they are.
  if (!clientFiles) return { nonce, entry: `/${entry}`, preloads: [] }
  const sources = [entry, `web/${area.layout.source}`, `web/${page.source}`]
  const files = new Set(sources.flatMap(filesFrom))
  return { nonce, entry: addressOf(entry), preloads: [...files].map(file => `/${file}`) }
}

function addressOf(source: string): string {
  return `/${clientFiles![source]!.file}`
}

/** The file of a source, and of all that it imports. */
function filesFrom(source: string): string[] {
  const { file, imports = [] } = clientFiles![source]!
  return [file, ...imports.flatMap(filesFrom)]
}
