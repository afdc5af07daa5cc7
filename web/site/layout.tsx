import type { ReactNode } from 'react'
import { t, translate } from '#shared/i18n/t.ts'
import { policyPaths, policyTitles } from '#shared/policies.ts'
import { FirmWords } from '#web/components/firm-words.tsx'
import { LegalFooter } from '#web/components/legal-footer.tsx'
import { SiteHeader, SiteLinks } from '#web/components/site-header.tsx'
import { Wordmark } from '#web/components/wordmark.tsx'
import { useSite } from '#web/frame.ts'
import { publicPath } from '#web/language.ts'
import { paths } from '#web/paths.ts'
import { serverPaths } from '#web/server/paths.ts'
import { useTexts } from './page-data.ts'

/** Browsers that support these rules prerender the next page; others request it and mostly get a 304. */
export const speculationRules = { 'Speculation-Rules': `"${serverPaths.speculationRules}"` }

/** Header, page, footer, in plain HTML. */
export default function SiteLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SiteHeader way={{ href: publicPath(paths.login), label: t('Login') }} />
      <main id="content" className="site-page flex-1">
        {children}
      </main>
      <Footer />
    </>
  )
}

function Policies() {
  const { policies } = useSite()
  if (policies.length === 0) return null
  return (
    <ul aria-label={t('Policies')} className="flex flex-wrap gap-x-6 gap-y-2">
      {policies.map(({ kind }) => (
        <li key={kind}>
          <a className="prose-link" href={publicPath(policyPaths[kind])}>
            {translate(policyTitles[kind])}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Footer() {
  const { firm } = useSite()
  const { footerLine } = useTexts()
  return (
    <footer className="night">
      <div className="page grid gap-x-10 gap-y-12 pt-16 pb-14 md:grid-cols-[2fr_1fr_1fr] lg:pt-24 lg:pb-20">
        <div className="grid content-start gap-8">
          <p className="text-xl">
            <Wordmark name={firm.productName} />
          </p>
          {footerLine && (
            <p data-figure="firm" className="display max-w-sm text-2xl">
              <FirmWords of="footerLine">{footerLine}</FirmWords>
            </p>
          )}
          <p>
            <a className="prose-link" href={paths.proof}>
              {t('Check our books yourself')}
            </a>
          </p>
          <p>
            <a className="prose-link" href={paths.faq}>
              {t('Questions and answers')}
            </a>
          </p>
          <Policies />
        </div>
        <nav aria-labelledby="quick-links" className="grid content-start gap-4">
          <h2 id="quick-links" className="font-semibold text-sm">
            {t('Quick links')}
          </h2>
          <SiteLinks className="grid gap-2.5" />
        </nav>
        <div className="grid content-start gap-4">
          <h2 className="font-semibold text-sm">{t('Contact us')}</h2>
          <p data-figure="firm" className="max-w-56 text-ink-soft">
            <FirmWords>{firm.streetAddress}</FirmWords>
          </p>
          <p>
            <a className="prose-link" dir="ltr" href={`mailto:${firm.supportEmail}`}>
              {firm.supportEmail}
            </a>
          </p>
        </div>
      </div>
      <LegalFooter />
    </footer>
  )
}
