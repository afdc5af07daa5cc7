import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { LegalFooter } from '#web/components/legal-footer.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { Wordmark } from '#web/components/wordmark.tsx'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { navigation } from './navigation.ts'
import { useTexts } from './page-data.ts'

/** Browsers that know these rules have the next page ready before it is asked for; others ask for it, and mostly hear 304. */
export const speculationRules = { 'Speculation-Rules': `"${paths.speculationRules}"` }

/** Header, page, footer. Plain HTML: the phone's menu is a popover, which opens, closes and obeys Escape by itself. */
export default function SiteLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <Header />
      <main id="content" className="site-page flex-1">
        {children}
      </main>
      <Footer />
    </>
  )
}

function Header() {
  const { firm } = useSite()
  return (
    <header className="border-rule border-b">
      <div className="page flex items-center justify-between gap-6 py-3">
        <a href={paths.home} className="py-2 text-lg">
          <Wordmark name={firm.productName} />
        </a>
        <nav aria-label="Main" className="hidden items-center gap-7 lg:flex">
          <Links className="flex gap-7" />
          <AnchorButton href={paths.login} size="sm">
            Login
          </AnchorButton>
        </nav>
        <button
          type="button"
          popoverTarget="menu"
          className="min-h-11 rounded-sm border border-edge px-4 font-medium text-sm hover:border-ink lg:hidden"
        >
          Menu
        </button>
        <PhoneMenu />
      </div>
    </header>
  )
}

/** Fills the screen (P-02). */
function PhoneMenu() {
  const { firm } = useSite()
  return (
    <nav id="menu" popover="auto" aria-label="Menu" className="site-menu">
      <div className="page flex min-h-full flex-col gap-8 py-3">
        <div className="flex items-center justify-between gap-6">
          <span className="py-2 text-lg">
            <Wordmark name={firm.productName} />
          </span>
          <button
            type="button"
            popoverTarget="menu"
            popoverTargetAction="hide"
            className="min-h-11 rounded-sm border border-edge px-4 font-medium text-sm hover:border-ink"
          >
            Close
          </button>
        </div>
        <Links className="display grid text-2xl [&_a]:block [&_a]:border-rule [&_a]:border-b [&_a]:py-3.5" />
        <AnchorButton href={paths.login}>Login</AnchorButton>
      </div>
    </nav>
  )
}

function Links({ className }: { className: string }) {
  const { pathname } = useLocation()
  return (
    <ul className={className}>
      {navigation.map(({ href, label }) => (
        <li key={href}>
          <a
            href={href}
            aria-current={pathname === href ? 'page' : undefined}
            className="text-ink-soft hover:text-ink aria-[current=page]:text-accent"
          >
            {label}
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
              {footerLine}
            </p>
          )}
        </div>
        <nav aria-labelledby="quick-links" className="grid content-start gap-4">
          <h2 id="quick-links" className="font-semibold text-sm">
            Quick links
          </h2>
          <Links className="grid gap-2.5" />
        </nav>
        <div className="grid content-start gap-4">
          <h2 className="font-semibold text-sm">Reach us</h2>
          <p data-figure="firm" className="max-w-56 text-ink-soft">
            {firm.streetAddress}
          </p>
          <p>
            <a className="prose-link" href={`mailto:${firm.supportEmail}`}>
              {firm.supportEmail}
            </a>
          </p>
        </div>
      </div>
      <LegalFooter />
    </footer>
  )
}
