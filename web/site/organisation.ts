import type { MetaDescriptor } from 'react-router'
import logo from '#pictures/icon-512.png?url'
import type { Frame } from '#web/frame.ts'
import { paths } from '#web/paths.ts'

/**
 * The firm for search engines, by its profile (schema.org). Not in a demonstration: its firm does not exist. A block of
 * data and no script: browsers run nothing of it, and the content security policy has nothing to allow.
 */
export function organisation(frame: Frame | undefined): MetaDescriptor[] {
  if (frame?.site.mode !== 'live') return []
  const { firm } = frame.site
  return [
    {
      'script:ld+json': {
        '@context': 'https://schema.org',
        '@type': 'Organization',
        name: firm.productName,
        legalName: firm.legalName,
        identifier: firm.registrationNumber,
        url: frame.origin + paths.home,
        logo: frame.origin + logo,
        email: firm.supportEmail,
        address: firm.streetAddress,
        areaServed: firm.jurisdictions,
        foundingDate: String(firm.foundedYear),
      },
    },
  ]
}
