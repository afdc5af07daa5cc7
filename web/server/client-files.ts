import { clientFiles, sources } from 'virtual:client-files'
import { languageNow } from '#shared/i18n/language.ts'
import type { AreaPage } from '#web/area.ts'
import { areas } from '#web/pages.ts'

export type Scripts = {
  /** Entry module. */
  entry: string
  /** Modules to preload. */
  preloads: string[]
  /** Script that loads them after the first paint, for pages that are useful before. */
  start: string | undefined
}

const entry = 'web/entry.client.tsx'
const start = 'web/start.ts'
const worker = 'web/service-worker.ts'

export function scriptsOf({ area, page }: AreaPage): Scripts {
  const isPaintedFirst = area === areas.account
  // In development Vite serves the sources.
  if (!clientFiles)
    return { entry: `/${entry}`, preloads: [], start: isPaintedFirst ? `/${start}` : undefined }
  const [folder] = Object.entries(areas).find(([, one]) => one === area)!
  const named = [entry, `web/${folder}/layout.tsx`, `web/${sources[page.path]}`]
  const files = new Set(named.flatMap(filesFrom))
  return {
    entry: addressOf(entry),
    preloads: [...files].map(file => `/${file}`),
    start: isPaintedFirst ? addressOf(start) : undefined,
  }
}

/** The service worker's own file. */
export function workerScript(): string {
  return clientFiles ? addressOf(worker) : `/${worker}`
}

/** Those of the current language, whose words they have. */
function filesNow() {
  return clientFiles?.[languageNow()]
}

function addressOf(source: string): string {
  return `/${filesNow()![source]!.file}`
}

/** A source's file and those of its imports. */
function filesFrom(source: string): string[] {
  const { file, imports = [] } = filesNow()![source]!
  return [file, ...imports.flatMap(filesFrom)]
}
