import { LogOut, Menu, PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { t } from '#shared/i18n/t.ts'
import { leave } from '#web/api/session.ts'
import { onTokenChangedElsewhere } from '#web/api/tokens.ts'
import { useSite } from '#web/frame.ts'
import { go } from '#web/go.ts'
import { useOnceLoaded } from '#web/once-loaded.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { cx } from '#web/ui/cx.ts'
import { Loading } from '#web/ui/states.tsx'
import { Bell } from './bell.tsx'
import { LegalFooter } from './legal-footer.tsx'
import { NeedsScript } from './needs-script.tsx'
import { Reauthentication } from './reauthentication.tsx'
import { SiteHeader } from './site-header.tsx'
import { timeZone } from './when.tsx'
import { Wordmark } from './wordmark.tsx'

export type WorkspaceEntry = { to: string; label: string; icon: ComponentType<{ 'aria-hidden': 'true' }> }

type WorkspaceProps = {
  /** The navigation's name: 'Dashboard'. */
  label: string
  home: string
  entries: readonly WorkspaceEntry[]
  /** Top right: the balance or the admin's name. */
  status?: ReactNode
  children: ReactNode
}

const measure = 'mx-auto w-full max-w-6xl px-4 lg:px-10'

/** Layout of the signed-in areas (D-01): a collapsible sidebar, a top menu on phones. */
export function Workspace({ label, home, entries, status, children }: WorkspaceProps) {
  useGuardAgain()
  useOnceLoaded(loadChanges)
  const [folded, setFolded] = useFolded()
  const { firm } = useSite()
  return (
    <div className="flex flex-1 flex-col lg:flex-row">
      <header className="sticky top-(--banner,0px) z-30 flex items-center justify-between gap-4 border-rule border-b bg-paper px-4 py-2 lg:hidden">
        <Link to={home} className="py-2">
          <Wordmark name={firm.productName} />
        </Link>
        <TopMenu label={label} entries={entries} />
      </header>
      <aside
        data-folded={folded || undefined}
        className={cx(
          'sticky top-(--banner,0px) hidden h-[calc(100dvh-var(--banner,0px))] shrink-0 flex-col border-rule border-e bg-sunken lg:flex',
          folded ? 'w-18' : 'w-64',
        )}
      >
        <div className={cx('flex items-center px-4 py-5', folded ? 'justify-center' : 'justify-between')}>
          {!folded && (
            <Link to={home}>
              <Wordmark name={firm.productName} />
            </Link>
          )}
          <button
            type="button"
            aria-expanded={!folded}
            aria-label={folded ? t('Expand sidebar') : t('Collapse sidebar')}
            onClick={() => setFolded(!folded)}
            className="grid size-9 place-items-center rounded-sm text-ink-faint hover:bg-paper hover:text-ink rtl:-scale-x-100 [&_svg]:size-5"
          >
            {folded ? <PanelLeftOpen aria-hidden="true" /> : <PanelLeftClose aria-hidden="true" />}
          </button>
        </div>
        <nav aria-label={label} className="flex-1 overflow-y-auto px-3">
          <Entries entries={entries} folded={folded} />
        </nav>
        <div className="border-rule border-t p-3">
          <Logout folded={folded} />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <section
          aria-label={t('Your account')}
          className="flex items-center justify-end gap-6 border-rule border-b px-4 py-2.5 text-sm lg:px-10"
        >
          {status}
          <Bell />
        </section>
        {/* As high as the window, so that the footer does not jump while a page loads. Text by users may be one long word, so break anywhere. */}
        <main
          id="content"
          tabIndex={-1}
          className={cx(measure, 'wrap-anywhere min-h-dvh flex-1 py-8 outline-none lg:py-10')}
        >
          {children}
        </main>
        <footer>
          <p className={cx(measure, 'pb-4 text-ink-faint text-sm')}>
            {t('Times are in your time zone, {timeZone}.', { timeZone: timeZone() })}
          </p>
          <LegalFooter measure={measure} />
        </footer>
      </div>
      <Reauthentication />
    </div>
  )
}

/**
 * From the start, a page of someone who has left does not stay: after a logout or a change of account in another tab, or restored from
 * the back-forward cache, it passes the guard again.
 */
function useGuardAgain() {
  useEffect(() => onTokenChangedElsewhere(() => location.reload()), [])
  useEffect(() => {
    const show = ({ persisted }: PageTransitionEvent) => persisted && location.reload()
    addEventListener('pageshow', show)
    return () => removeEventListener('pageshow', show)
  }, [])
}

/** Shows other people's changes. */
const loadChanges = () => import('#web/api/live.ts').then(({ followChanges }) => followChanges)

/** The sidebar's state, kept for the browser session. */
function useFolded() {
  const [folded, set] = useState(() => sessionStorage.getItem('sidebar') === 'folded')
  const fold = (next: boolean) => {
    sessionStorage.setItem('sidebar', next ? 'folded' : 'open')
    set(next)
  }
  return [folded, fold] as const
}

const entryLook =
  'flex min-h-11 w-full items-center gap-3 rounded-sm px-3 text-start text-[0.9375rem] text-ink-soft hover:bg-paper ' +
  'hover:text-ink aria-[current=page]:bg-paper aria-[current=page]:font-medium aria-[current=page]:text-accent ' +
  '[&_svg]:size-5 [&_svg]:shrink-0'

function Entries({ entries, folded = false }: { entries: readonly WorkspaceEntry[]; folded?: boolean }) {
  return (
    <ul className="grid gap-0.5">
      {entries.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <NavLink
            to={to}
            title={folded ? label : undefined}
            className={cx(entryLook, folded && 'justify-center')}
          >
            <Icon aria-hidden="true" />
            <span className={cx(folded && 'sr-only')}>{label}</span>
          </NavLink>
        </li>
      ))}
    </ul>
  )
}

/**
 * Logs out to the home page as a new document, so that no session data stays in memory. Offline, the login
 * page has to do.
 */
function Logout({ folded = false }: { folded?: boolean }) {
  async function logOut() {
    await leave()
    if (navigator.onLine) location.assign(paths.home)
    else await go(paths.login)
  }
  return (
    <button type="button" onClick={logOut} className={cx(entryLook, folded && 'justify-center')}>
      <LogOut aria-hidden="true" />
      <span className={cx(folded && 'sr-only')}>{t('Logout')}</span>
    </button>
  )
}

/** The phone's menu; closes on navigation and Escape. */
function TopMenu({ label, entries }: { label: string; entries: readonly WorkspaceEntry[] }) {
  // Per visit, so that Back finds it closed.
  const { key } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  const open = openAt === key
  return (
    <nav aria-label={label} onKeyDown={event => event.key === 'Escape' && setOpenAt(undefined)}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpenAt(open ? undefined : key)}
        className="flex min-h-11 items-center gap-2 rounded-sm px-3 font-medium text-sm hover:bg-sunken [&_svg]:size-5"
      >
        {tr('{menu}Menu', { menu: <Menu aria-hidden="true" /> })}
      </button>
      {open && (
        <div className="absolute inset-x-0 top-full max-h-[calc(100dvh-var(--banner,0px)-100%)] overflow-y-auto overscroll-contain border-rule border-b bg-paper p-3 shadow-lift">
          <Entries entries={entries} />
          <div className="mt-3 border-rule border-t pt-3">
            <Logout />
          </div>
        </div>
      )}
    </nav>
  )
}

type WorkspaceFallbackProps = {
  /** While the guard checks: 'Opening your account'. */
  label: string
  /** Heading and text for visitors without JavaScript. */
  title: string
  purpose: string
}

/** Placeholder during SSR and until the guard has checked the session. */
export function WorkspaceFallback({ label, title, purpose }: WorkspaceFallbackProps) {
  return (
    <>
      {import.meta.env.SSR && (
        <noscript>
          <SiteHeader />
        </noscript>
      )}
      {/* As high as the window, so that the theme's form does not jump when the page takes its place. */}
      <main id="content" className="page min-h-dvh flex-1 py-16 noscript:min-h-0">
        <Loading label={label} lines={4} className="noscript:hidden" />
        {import.meta.env.SSR && (
          <noscript>
            <div className="grid max-w-2xl gap-6">
              <h1 className="display text-3xl">{title}</h1>
              <p className="text-ink-soft">{purpose}</p>
              <NeedsScript />
            </div>
          </noscript>
        )}
      </main>
      {import.meta.env.SSR && (
        <noscript>
          <footer>
            <LegalFooter />
          </footer>
        </noscript>
      )}
    </>
  )
}
