import card from '#pictures/card.png?url'
import demonstrationCard from '#pictures/card-demonstration.png?url'
import { linkPictureWords } from '#shared/product.ts'
import type { AppFrame } from './frame.ts'
import type { Meta, MetaTag } from './page.ts'

/** Canonical path and description for search engines and link previews. */
type Findable = { path: string; description: string }

/** Title with the product's name and, for findable pages, their tags. */
export function pageMeta(title: string, findable?: Findable): Meta {
  return frame => [
    { title: `${title} · ${frame.site.firm.productName}` },
    ...(findable ? findableMeta(frame, title, findable) : []),
  ]
}

/** Addresses start with the configured origin, because a sender controls the Host header. */
function findableMeta({ site, origin }: AppFrame, title: string, { path, description }: Findable): MetaTag[] {
  const demonstration = site.mode === 'demo'
  // A link preview has no banner, so its title says that this is a demonstration (D2).
  const linkTitle = demonstration ? `Demonstration: ${title}` : title
  const picture = origin + (demonstration ? demonstrationCard : card)
  return [
    { name: 'description', content: description },
    { rel: 'canonical', href: origin + path },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: site.firm.productName },
    { property: 'og:title', content: linkTitle },
    { property: 'og:description', content: description },
    { property: 'og:url', content: origin + path },
    { property: 'og:image', content: picture },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    {
      property: 'og:image:alt',
      content: `${linkPictureWords}: every ledger entry beside its counter-entry`,
    },
    { name: 'twitter:card', content: 'summary_large_image' },
    { name: 'twitter:title', content: linkTitle },
    { name: 'twitter:description', content: description },
    { name: 'twitter:image', content: picture },
  ]
}
