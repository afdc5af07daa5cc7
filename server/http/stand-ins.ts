import type { FastifyRequest } from 'fastify'
import type { Services } from '#server/context.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { site as siteCall } from '#shared/contract/site.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import type { Web } from '#shared/web.ts'
import { addressBelow } from './address.ts'
import { type Document, documentOf } from './document-cache.ts'
import type { KnownSite } from './known-site.ts'

type Site = {
  services: Services
  pages: { standIn?: Web['standIn']; languageOf?: Web['languageOf'] }
  plainPolicy: string
  known: KnownSite
}
type Asked = Pick<FastifyRequest, 'url' | 'headers'>

/**
 * Pages that stand in for what is refused because there is too much of it. Each is rendered once in a language for what is
 * known of the firm, so a flood of refusals costs no rendering.
 */
export function standIns(site: Site): (status: number, request: Asked) => Promise<Document> | undefined {
  const { standIn } = site.pages
  if (standIn === undefined) return () => undefined
  const { publicUrl } = site.services.config
  const rendered = new Map<string, { known: CallData<typeof siteCall>; page: Promise<Document> }>()
  return (status, request) => {
    const language = languageOf(site, request)
    const key = `${status} ${language}`
    const last = rendered.get(key)
    const known = site.known.in(language)
    if (last?.known === known) return last.page
    const page = standIn(status, language, { knownSite: () => known, publicUrl }).then(async response => {
      const headers = { ...Object.fromEntries(response.headers), 'content-security-policy': site.plainPolicy }
      return documentOf({ status, headers, body: Buffer.from(await response.arrayBuffer()) })
    })
    rendered.set(key, { known, page })
    return page
  }
}

/** The language of the page that was asked for. An address that is none is that of an English one. */
function languageOf({ services, pages }: Site, { url, headers }: Asked): Language {
  const address = addressBelow(services.config.publicUrl, url)
  return (address && pages.languageOf?.(address, headers.cookie ?? '')) ?? sourceLanguage
}
