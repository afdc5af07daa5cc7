/**
 * The frame of every page: the document, the demonstration's banner, the start overlay.
 *
 * Public pages are plain HTML. A page gets scripts only where its route (or one above it) says so:
 * `export const handle: RouteHandle = { scripts: true }`; shell.tsx says it for the account area.
 * Pages reach the server through the load context that web/handler.ts fills (`hostContext`, shared/web.ts).
 */

import type { ReactNode } from 'react'
import type { LinksFunction, LoaderFunctionArgs, ShouldRevalidateFunction } from 'react-router'
import {
  data,
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useMatches,
  useRouteError,
} from 'react-router'
import inter from '#fonts/inter.woff2?url'
import newsreader from '#fonts/newsreader.woff2?url'
import touchIcon from '#pictures/apple-touch-icon.png?url'
import icon32 from '#pictures/icon-32.png?url'
import { site } from '#shared/contract/site.ts'
import { DemoBanner } from './components/demo-banner.tsx'
import { FaultPage } from './components/fault-page.tsx'
import { LegalFooter } from './components/legal-footer.tsx'
import { LiveChat } from './components/live-chat.tsx'
import { overlaySeen, StartOverlay, setSeenCookie } from './components/start-overlay.tsx'
import { Wordmark } from './components/wordmark.tsx'
import { type Frame, shownUntil, useFrame, useSite } from './frame.ts'
import { draftContext, hostContext, refusalOf } from './host.ts'
import icon from './icon.svg?url'
import { paths } from './paths.ts'
import styles from './styles/app.css?url'
import { paper } from './styles/paper.ts'

/** What a route may say about the document around it. */
export type RouteHandle = {
  /** The page hydrates; without it not a byte of script is sent. */
  scripts?: true
  /** Not for search engines, in live mode either. */
  hidden?: true
  /** Names in the query whose presence changes the page; on pages without scripts nothing else of it may (common-documents.ts). */
  flags?: readonly string[]
}

export const links: LinksFunction = () => [
  ...[newsreader, inter].map(href => {
    return { rel: 'preload', href, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' } as const
  }),
  { rel: 'icon', href: icon32, type: 'image/png', sizes: '32x32' },
  { rel: 'icon', href: icon, type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: touchIcon },
  { rel: 'manifest', href: paths.manifest },
]

export async function loader({ context, request }: LoaderFunctionArgs) {
  const host = context.get(hostContext)
  try {
    const frame: Frame = {
      site: await host.call(site, {}),
      overlay: !overlaySeen(request.headers.get('Cookie') ?? ''),
      origin: host.publicUrl,
    }
    const until = shownUntil(frame.site)
    if (until) host.validUntil(until)
    return frame.overlay ? data(frame, { headers: { 'Set-Cookie': setSeenCookie } }) : data(frame)
  } catch (error) {
    const status = refusalOf(error)?.status ?? 500
    const frame: Frame = { site: host.knownSite, overlay: false, origin: host.publicUrl }
    return data(context.get(draftContext) ? frame : { ...frame, fault: status }, { status })
  }
}

/** The firm's profile does not change under a visitor's feet, and the overlay shows once. */
export const shouldRevalidate: ShouldRevalidateFunction = () => false

function useHandles(): RouteHandle {
  return Object.assign({}, ...useMatches().map(match => match.handle))
}

export function Layout({ children }: { children: ReactNode }) {
  const frame = useFrame()
  const { hidden, ...handles } = useHandles()
  const scripts = handles.scripts && !frame?.fault
  const noindex = hidden || frame?.site.mode !== 'live'
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content={paper.light} />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content={paper.dark} />
        {noindex && <meta name="robots" content="noindex" />}
        <Meta />
        {/* With a precedence it comes before everything else that the page loads. */}
        <link rel="stylesheet" href={styles} precedence="default" />
        {/* Files of this origin need no nonce, and what the browser hides of one would differ when hydrated. */}
        <Links nonce="" />
      </head>
      <body className="flex min-h-dvh flex-col font-sans antialiased">
        {frame?.overlay && <StartOverlay name={frame.site.firm.productName} />}
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        {frame?.site.mode === 'demo' && <DemoBanner />}
        {children}
        {frame?.site.liveChat && <LiveChat {...frame.site.liveChat} />}
        {scripts && <ScrollRestoration />}
        {scripts && <Scripts />}
      </body>
    </html>
  )
}

export default function Root() {
  const status = useFrame()?.fault
  return status === undefined ? <Outlet /> : <StandIn status={status} />
}

/** In place of a page that failed, or whose data is away: who we are, what happened, and the way back. */
function StandIn({ status }: { status: number }) {
  const { firm } = useSite()
  return (
    <>
      <header className="border-rule border-b">
        <div className="page py-5 text-lg">
          <Wordmark name={firm.productName} />
        </div>
      </header>
      <main id="content" className="flex-1">
        <FaultPage status={status} />
      </main>
      <footer>
        <LegalFooter />
      </footer>
    </>
  )
}

export function ErrorBoundary() {
  const error = useRouteError()
  const framed = useFrame() !== undefined
  const status = isRouteErrorResponse(error) ? error.status : 500
  if (framed) return <StandIn status={status} />
  return (
    <main id="content" className="flex-1">
      <title>This page failed</title>
      <FaultPage status={status} />
    </main>
  )
}
