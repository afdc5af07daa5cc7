import { useLocation } from 'react-router'
import { languageNow } from '#shared/i18n/language.ts'
import { languages } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { AnchorButton } from './link-button.tsx'
import { navigation } from './navigation.ts'
import { Wordmark } from './wordmark.tsx'

export type Way = { href: string; label: string }
/**
 * Header of every public and account page (P-01). The phone menu is a popover, so it needs no script.
 * @param props.way to the account; documents are the same for everyone, and so lead to the login
 */
export function SiteHeader({ way = { href: paths.login, label: t('Login') } }: { way?: Way | undefined }) {
  const { firm } = useSite()
  return (
    <header className="border-rule border-b">
      <div className="page flex items-center justify-between gap-6 py-3">
        <a href={paths.home} className="py-2 text-lg">
          <Wordmark name={firm.productName} />
        </a>
        <nav aria-label={t('Main')} className="hidden items-center gap-7 lg:flex">
          <SiteLinks className="flex gap-7" />
          <LanguageButton />
          <AccountButton way={way} size="sm" />
        </nav>
        <button
          type="button"
          popoverTarget="menu"
          className="min-h-11 rounded-sm border border-edge px-4 font-medium text-sm hover:border-ink lg:hidden"
        >
          {t('Menu')}
        </button>
        <PhoneMenu way={way} />
      </div>
    </header>
  )
}

/** Full-screen menu (P-02). */
function PhoneMenu({ way }: { way: Way }) {
  const { firm } = useSite()
  return (
    <nav id="menu" popover="auto" aria-label={t('Menu')} className="site-menu">
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
            {t('Close')}
          </button>
        </div>
        <SiteLinks className="display grid text-2xl [&_a]:block [&_a]:border-rule [&_a]:border-b [&_a]:py-3.5" />
        <AccountButton way={way} />
        <LanguageButton />
      </div>
    </nav>
  )
}

/** Links to the public pages, the current one marked. */
export function SiteLinks({ className }: { className: string }) {
  const current = useCurrent()
  return (
    <ul className={className}>
      {navigation().map(({ href, label }) => (
        <li key={href}>
          <a
            href={href}
            aria-current={current(href)}
            className="text-ink-soft hover:text-ink aria-[current=page]:text-accent"
          >
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Shows the languages, which the document has in a popover (web/server/language-choice.tsx). */
function LanguageButton() {
  const { name } = languages[languageNow()]
  return (
    <button
      type="button"
      popoverTarget="languages"
      aria-label={t('Language: {name}', { name })}
      className="min-h-11 justify-self-start text-ink-soft after:ms-1.5 after:content-['▾'] hover:text-ink"
    >
      {name}
    </button>
  )
}

function AccountButton({ way: { href, label }, size }: { way: Way; size?: 'sm' }) {
  const current = useCurrent()
  return (
    <AnchorButton href={href} aria-current={current(href)} size={size}>
      {label}
    </AnchorButton>
  )
}

function useCurrent() {
  const { pathname } = useLocation()
  return (href: string) => (href === pathname ? 'page' : undefined)
}
