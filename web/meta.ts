import card from '#pictures/card.png?url'
import demonstrationCard from '#pictures/card-demonstration.png?url'
import { languageNow } from '#shared/i18n/language.ts'
import { type Language, languageCodes } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { linkPictureWords } from '#shared/product.ts'
import type { AppFrame } from './frame.ts'
import { inLanguagePath, publicPath } from './language.ts'
import type { Meta, MetaTag } from './page.ts'

/** Path in English and description for search engines and link previews. */
type Findable = { path: string; description: string }

/** Open Graph's names of our languages. */
const openGraph: Record<Language, string> = { en: 'en_GB', de: 'de_DE', es: 'es_ES', ar: 'ar_AR' }

/**
 * Title with the product's name and, for findable pages, their tags.
 * @param title and the description: texts named by `msg`
 */
export function pageMeta(title: string, findable?: Findable): Meta {
  return frame =>
    pageTags(
      frame,
      translate(title),
      findable && { ...findable, description: translate(findable.description) },
    )
}

/** The same for words that are written already, as the firm's own. */
export function pageTags(frame: AppFrame, title: string, findable?: Findable): MetaTag[] {
  return [
    { title: `${title} · ${frame.site.firm.productName}` },
    // Browsers that run a page need its title only.
    ...(import.meta.env.SSR && findable ? findableMeta(frame, title, findable) : []),
  ]
}

/** Addresses start with the configured origin, because a sender controls the Host header. */
function findableMeta({ site, origin }: AppFrame, title: string, { path, description }: Findable): MetaTag[] {
  const address = origin + publicPath(path)
  const demonstration = site.mode === 'demo'
  // A link preview has no banner, so its title says that this is a demonstration (D2).
  const linkTitle = demonstration ? t('Demonstration: {title}', { title }) : title
  const picture = origin + (demonstration ? demonstrationCard : card)
  return [
    { name: 'description', content: description },
    { rel: 'canonical', href: address },
    ...alternates(origin, path),
    { property: 'og:locale', content: openGraph[languageNow()] },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: site.firm.productName },
    { property: 'og:title', content: linkTitle },
    { property: 'og:description', content: description },
    { property: 'og:url', content: address },
    { property: 'og:image', content: picture },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    {
      property: 'og:image:alt',
      content: t('{name}: every ledger entry beside its counter-entry', {
        name: translate(linkPictureWords),
      }),
    },
    { name: 'twitter:card', content: 'summary_large_image' },
    { name: 'twitter:title', content: linkTitle },
    { name: 'twitter:description', content: description },
    { name: 'twitter:image', content: picture },
  ]
}

/** The same page in every language, and for everyone else. */
function alternates(origin: string, path: string): MetaTag[] {
  return [...languageCodes, 'x-default' as const].map(code => ({
    rel: 'alternate',
    hrefLang: code,
    href: origin + (code === 'x-default' ? path : inLanguagePath(path, code)),
  }))
}
