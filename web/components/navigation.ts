import { paths } from '#web/paths.ts'

/** Public pages in the navigation and the footer's quick links (P-01, P-12). */
export const navigation = [
  { href: paths.home, label: 'Home' },
  { href: paths.about, label: 'About us' },
  { href: paths.plans, label: 'Investment plans' },
  { href: paths.services, label: 'Services' },
  { href: paths.contact, label: 'Contact' },
] as const
