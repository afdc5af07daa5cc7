import type { Services } from '#server/context.ts'
import type { Web, WebHost } from '#shared/web.ts'
import { type Document, documentOf } from './document-cache.ts'

type Site = {
  services: Services
  pages: { standIn?: Web['standIn'] }
  plainPolicy: string
  known: WebHost['knownSite']
}

/**
 * Pages that stand in for what is refused because there is too much of it. Each is rendered once for what is known of the
 * firm, so a flood of refusals costs no rendering.
 */
export function standIns(site: Site): (status: number) => Promise<Document> | undefined {
  const { standIn } = site.pages
  if (standIn === undefined) return () => undefined
  const { publicUrl } = site.services.config
  const rendered = new Map<number, { known: Site['known']; page: Promise<Document> }>()
  return status => {
    const last = rendered.get(status)
    if (last?.known === site.known) return last.page
    const page = standIn(status, { knownSite: site.known, publicUrl }).then(async response => {
      const headers = { ...Object.fromEntries(response.headers), 'content-security-policy': site.plainPolicy }
      return documentOf({ status, headers, body: Buffer.from(await response.arrayBuffer()) })
    })
    rendered.set(status, { known: site.known, page })
    return page
  }
}
