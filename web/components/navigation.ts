import { t } from '#shared/i18n/t.ts'
import { paths } from '#web/paths.ts'

/** Public pages in the navigation and the footer's quick links (P-01, P-12). */
export const navigation = () => [
  { href: paths.home, label: t('Home') },
  { href: paths.about, label: t('About us') },
  { href: paths.plans, label: t('Investment plans') },
  { href: paths.services, label: t('Services') },
  { href: paths.contact, label: t('Contact') },
]
