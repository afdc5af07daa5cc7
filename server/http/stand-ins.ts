import type { Services } from '#server/context.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { site as siteCall } from '#shared/contract/site.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import type { Web } from '#shared/web.ts'
import { type Document, documentOf } from './document-cache.ts'

type Site = {
  services: Services
  pages: { standIn?: Web['standIn'] }
  plainPolicy: string
  known: Record<Language, CallData<typeof siteCall>>
}

/**
 * Pages that stand in for what is refused because there is too much of it. Each is rendered once for what is known of the
 * firm, so a flood of refusals costs no rendering.
 */
export function standIns(site: Site): (status: number) => Promise<Document> | undefined {
  const { standIn } = site.pages
  if (standIn === undefined) return () => undefined
  const { publicUrl } = site.services.config
  const rendered = new Map<number, { known: CallData<typeof siteCall>; page: Promise<Document> }>()
  return status => {
    const last = rendered.get(status)
    const known = site.known[sourceLanguage]
    if (last?.known === known) return last.page
    const page = standIn(status, { knownSite: () => known, publicUrl }).then(async response => {
      const headers = { ...Object.fromEntries(response.headers), 'content-security-policy': site.plainPolicy }
      return documentOf({ status, headers, body: Buffer.from(await response.arrayBuffer()) })
    })
    rendered.set(status, { known, page })
    return page
  }
}
