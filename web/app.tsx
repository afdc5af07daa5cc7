import { Component, type ReactNode, useCallback, useEffect, useReducer } from 'react'
import { Navigate, Route, Routes, useLocation } from 'react-router'
import { sessionEnded } from './api/session.ts'
import type { Area, AreaPage } from './area.ts'
import { ErrorPage } from './components/error-page.tsx'
import { useFrame } from './frame.ts'
import { go, useGoSupport } from './go.ts'
import { type LazyModule, ModuleLoadError } from './lazy-module.ts'
import { useOnceLoaded } from './once-loaded.ts'
import { type LayoutModule, titleOf } from './page.ts'
import { areas, openConsole, shortcuts } from './pages.ts'
import { paths } from './paths.ts'
import { pageShown, usePlace } from './place.ts'
import { withReturnTo } from './return-to.ts'
import { useScroll } from './scroll.ts'
import { toast } from './ui/toast.ts'
import { Toaster } from './ui/toaster.tsx'

const loadExtras = () => import('./page-extras.ts').then(({ startExtras }) => startExtras)

/** The browser app: account, dashboard and console, inside server/document.tsx. */
export function App() {
  useLoginWhenOver()
  useOnceLoaded(loadExtras)
  useScroll()
  useGoSupport()
  const { key } = useLocation()
  const [, opened] = useReducer(count => count + 1, 0)
  return (
    <>
      <ErrorBoundary at={key}>
        <Routes>
          {Object.entries(areas).map(([name, area]) => (
            <Route key={name} element={<ShownLayout module={area.layout} />}>
              {area.pages.map(page => (
                <Route key={page.path} path={page.path} element={<ShownPage area={area} page={page} />} />
              ))}
            </Route>
          ))}
          {Object.entries(shortcuts).map(([path, to]) => (
            <Route key={path} path={path} element={<Navigate replace to={to} />} />
          ))}
          <Route path="*" element={<Elsewhere onOpened={opened} />} />
        </Routes>
      </ErrorBoundary>
      <Toaster />
    </>
  )
}

function ShownLayout({ module }: { module: LazyModule<LayoutModule> }) {
  const { default: Layout } = module.read()
  return <Layout />
}

function usePrefetch(area: Area) {
  const load = () =>
    import('./prefetch.ts').then(
      ({ startPrefetch }) =>
        () =>
          startPrefetch(area),
    )
  useOnceLoaded(useCallback(load, [area]))
}

function ShownPage({ area, page }: AreaPage) {
  const { default: Page, meta } = page.read()
  usePrefetch(area)
  const title = titleOf(meta(useFrame()))
  const place = usePlace()
  useEffect(() => {
    if (title !== undefined) document.title = title
    sessionStorage.removeItem('reloaded')
  }, [title])
  useEffect(() => {
    // The browser itself announces the document's first page.
    if (shown !== undefined && shown !== place) document.dispatchEvent(new Event(pageShown))
    shown = place
  }, [place])
  return <Page />
}

/** The place that was shown last. */
let shown: string | undefined

/** The console's pages are not known yet; any other path only the server knows, so load it as a document. */
function Elsewhere({ onOpened }: { onOpened: () => void }) {
  useEffect(() => {
    if (location.pathname.startsWith('/admin/') && areas.admin === undefined) {
      openConsole().then(onOpened, () => location.reload())
    } else location.reload()
  }, [onOpened])
  return null
}

/** Says why and goes to /login once when the session ends, with the way back. */
function useLoginWhenOver() {
  useEffect(
    () =>
      sessionEnded.on(refusal => {
        const { pathname, search, hash } = location
        if (pathname === paths.login) return
        // A prefetch may find out before a page is there to say so.
        if (refusal.isStaleToken) toast.error(refusal.message, true)
        void go(paths.login, { state: withReturnTo(pathname + search + hash) })
      }),
    [],
  )
}

type ErrorBoundaryProps = { at: string; children: ReactNode }
type ErrorBoundaryState = { at: string; failed: boolean }

/** Shows a failed page as such until another one opens. */
class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { at: this.props.at, failed: false }

  static getDerivedStateFromProps(
    { at }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    return at === state.at ? null : { at, failed: false }
  }

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failed: true }
  }

  /** After a deployment old page scripts are gone: reload once to get the new ones. */
  override componentDidCatch(error: unknown) {
    if (!(error instanceof ModuleLoadError) || !navigator.onLine) return
    if (sessionStorage.getItem('reloaded') === location.href) return
    sessionStorage.setItem('reloaded', location.href)
    location.reload()
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main id="content" className="flex-1">
        <ErrorPage status={500} />
      </main>
    )
  }
}
