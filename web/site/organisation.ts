import logo from '#pictures/icon-512.png?url'
import { languageNow } from '#shared/i18n/language.ts'
import type { AppFrame } from '#web/frame.ts'
import type { MetaTag } from '#web/page.ts'
import { paths } from '#web/paths.ts'

/** The firm's profile for search engines (schema.org); none in a demonstration, whose firm does not exist. */
export function organisation(frame: AppFrame): MetaTag[] {
  if (frame.site.mode !== 'live') return []
  const { firm } = frame.site
  return [
    {
      jsonLd: {
        '@context': 'https://schema.org',
        '@type': 'Organization',
        name: firm.productName,
        legalName: firm.legalName,
        identifier: firm.registrationNumber ?? undefined,
        url: frame.origin + paths.home,
        mainEntityOfPage: { '@type': 'WebPage', url: frame.origin + paths.home, inLanguage: languageNow() },
        logo: frame.origin + logo,
        email: firm.supportEmail,
        telephone: firm.phones.length > 0 ? firm.phones : undefined,
        address: firm.streetAddress,
        areaServed: firm.jurisdictions,
        foundingDate: String(firm.foundedYear),
      },
    },
  ]
}
