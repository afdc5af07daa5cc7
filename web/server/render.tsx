import type { ComponentProps, ReactNode } from 'react'
import { renderToReadableStream } from 'react-dom/server'
import { StaticRouter } from 'react-router'
import type { FirmTexts } from '#shared/contract/firm-texts.ts'
import { App } from '#web/app.tsx'
import { type AppFrame, FrameContext } from '#web/frame.ts'
import SiteLayout from '#web/site/layout.tsx'
import { PageDataContext, type SitePage, TextsContext, type Visit } from '#web/site/page-data.ts'
import { Document, StandIn } from './document.tsx'

/** Render timeout in milliseconds. */
const renderTimeout = 10_000

/**
 * Renders completely before sending: streaming needs a script, and a late error could not become a 500.
 * @throws the component's error
 */
async function render(element: ReactNode): Promise<string> {
  let renderError: unknown
  const stream = await renderToReadableStream(element, {
    signal: AbortSignal.timeout(renderTimeout),
    onError(error) {
      renderError = error
    },
  })
  await stream.allReady
  if (renderError !== undefined) throw renderError
  return new Response(stream).text()
}

export function renderDocument(props: ComponentProps<typeof Document>): Promise<string> {
  return render(
    <FrameContext value={props.frame}>
      <Document {...props} />
    </FrameContext>,
  )
}

/** A public page inside the site's layout. */
export function renderSitePage(
  visit: Visit,
  { default: Page }: SitePage,
  { texts, data }: { texts: FirmTexts; data: unknown },
): ReactNode {
  return (
    <StaticRouter location={placeOf(visit)}>
      <TextsContext value={texts}>
        <PageDataContext value={data}>
          <SiteLayout>
            <Page />
          </SiteLayout>
        </PageDataContext>
      </TextsContext>
    </StaticRouter>
  )
}

/** The error page for a public page or the app. */
export function renderStandIn(visit: Pick<Visit, 'request'>, status: number): ReactNode {
  return (
    <StaticRouter location={placeOf(visit)}>
      <StandIn status={status} />
    </StaticRouter>
  )
}

/** The app's HTML before its script runs. */
export function renderApp(visit: Visit, frame: AppFrame): Promise<string> {
  return render(
    <FrameContext value={frame}>
      <StaticRouter location={placeOf(visit)}>
        <App />
      </StaticRouter>
    </FrameContext>,
  )
}

function placeOf({ request }: Pick<Visit, 'request'>): string {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}
