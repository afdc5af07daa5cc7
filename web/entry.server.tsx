import { renderToReadableStream } from 'react-dom/server'
import type { EntryContext, RouterContextProvider } from 'react-router'
import { isRouteErrorResponse, ServerRouter } from 'react-router'
import { hostContext } from './host.ts'
import type { RouteHandle } from './root.tsx'

/** Milliseconds after which a page that cannot be finished is given up. */
const renderTimeout = 10_000

/**
 * Renders a whole document before its first byte leaves: nothing streams in afterwards, which would need a script,
 * and a fault still becomes a clean 500.
 */
async function renderDocument(router: EntryContext, url: string, nonce?: string): Promise<string> {
  let fault: unknown
  const stream = await renderToReadableStream(<ServerRouter context={router} url={url} nonce={nonce} />, {
    nonce,
    signal: AbortSignal.timeout(renderTimeout),
    onError(error) {
      fault = error
    },
  })
  await stream.allReady
  if (fault !== undefined) throw fault
  return lateScripts(await new Response(stream).text())
}

/** A page that was rendered here can be read without its scripts: the style and the letters are loaded first. */
function lateScripts(html: string): string {
  return html.replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
}

/** A page without scripts needs no nonce: it is the same for everybody and can be kept. */
function hasScripts({ staticHandlerContext, routeModules }: EntryContext): boolean {
  return staticHandlerContext.matches.some(({ route }) => {
    const handle = routeModules[route.id]?.handle as RouteHandle | undefined
    return handle?.scripts === true
  })
}

export default async function handleDocument(
  request: Request,
  status: number,
  headers: Headers,
  router: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  headers.set('Content-Type', 'text/html; charset=utf-8')
  const nonce = hasScripts(router) ? context.get(hostContext).cspNonce : undefined
  const html = await renderDocument(router, request.url, nonce)
  return new Response(html, { status, headers })
}

type ErrorArgs = { request: Request; context: RouterContextProvider }

export function handleError(error: unknown, { request, context }: ErrorArgs) {
  const refused = isRouteErrorResponse(error) && error.status < 500
  if (!refused && !request.signal.aborted) context.get(hostContext).logError(error)
}
