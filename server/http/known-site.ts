import { isDeepStrictEqual } from 'node:util'
import type { Services } from '#server/context.ts'
import { configuredSite, decidedSite } from '#server/site/configured-site.ts'
import { configured } from '#server/staff/settings-queries.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'
import { firmIn } from '#shared/firm-in-language.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { knownFirm, lastKnownFirm } from './known-firm.ts'

type Site = CallData<typeof site>

/** What pages show of the firm while the database is away: the latest answer of `site`, in each language. */
export type KnownSite = {
  /** The same object as long as nothing changes: pages that stand in are rendered again for another one. */
  in(language: Language): Site
  /** @param answer in any language */
  learn(answer: Site): void
}

/** Begins with the firm's profile, or the configured one if the database is away, and nothing that needs the books. */
export async function knownSite(services: Services): Promise<KnownSite> {
  const { config } = services
  await knownFirm(services)
  let known: Omit<Site, 'firm'> = {
    ...configuredSite(config),
    brand: null,
    statistics: [],
    books: { checkedAt: null, ok: null, publishedUntil: null },
    ...decidedSite(configured(config)),
    policies: [],
  }
  const written = new Map<Language, { from: readonly [object, object]; site: Site }>()
  return {
    in(language) {
      const firm = lastKnownFirm(config)
      const last = written.get(language)
      if (last?.from[0] === known && last.from[1] === firm) return last.site
      const site = { ...known, firm: firmIn(firm, language) }
      written.set(language, { from: [known, firm], site })
      return site
    },
    learn({ firm: _, ...answer }) {
      if (!isDeepStrictEqual(known, answer)) known = answer
    },
  }
}
