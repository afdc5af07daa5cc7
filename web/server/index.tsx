import { languageNow } from '#shared/i18n/language.ts'
import type { StandIn, WebHandler } from '#shared/web.ts'
import type { AreaPage } from '#web/area.ts'
import { errorWords } from '#web/components/error-page.tsx'
import type { Frame } from '#web/frame.ts'
import { languagePath } from '#web/language.ts'
import type { PageHandle } from '#web/page.ts'
import { loadPage } from '#web/pages.ts'
import { speculationRules } from '#web/site/layout.tsx'
import type { SitePage, Visit } from '#web/site/page-data.ts'
import { themePath } from '#web/theme.ts'
import { scriptsOf } from './client-files.ts'
import { AppRoot } from './document.tsx'
import { frameHeaders, knownFrame, readFrame } from './frame.ts'
import { PageError } from './host.ts'
import { choose, chooseLanguage, inLanguage } from './language.ts'
import { languageOf, nowhere, type Place, placeAt, takesForms } from './places.ts'
import { renderApp, renderDocument, renderSitePage, renderStandIn } from './render.tsx'
import { chooseTheme } from './theme.tsx'

export { commonDocument, languageOf, takesForms } from './places.ts'

/** With the other exports the entry of the server bundle (shared/web.ts). */
export const handle: WebHandler = (request, given) => {
  const host: typeof given = {
    ...given,
    call: (call, input) => given.call(call, input, languageNow()),
  }
  const visit = { request, host }
  const address = new URL(request.url)
  const { place, path } = placeAt(address.pathname)
  const language = languageOf(address, request.headers.get('Cookie') ?? '')
  return inLanguage(language, () => answerIn(visit, place, path))
}

async function answerIn(visit: Visit, place: Place, path: string): Promise<Response> {
  const { request, host } = visit
  try {
    if (request.method === 'POST' && path === themePath) return await chooseTheme(visit)
    if (request.method === 'POST' && path === languagePath) return await chooseLanguage(visit)
    return await answer(visit, place, path)
  } catch (error) {
    if (error instanceof PageError) return standInNow(visit, error.status)
    if (!request.signal.aborted) host.logError(error)
    return standInNow(visit, 500)
  }
}

/** @param path in English */
async function answer(visit: Visit, place: Place, path: string): Promise<Response> {
  if (visit.request.method === 'POST' && !takesForms(new URL(visit.request.url))) throw new PageError(405)
  if (place.kind === 'shortcut') return redirect(place.to)
  if (place.kind === 'choice') {
    const { search } = new URL(visit.request.url)
    return choose(place.language, path + search, 302, visit.host.publicUrl)
  }
  if (place.kind === 'resource') return place.resource.respond(visit)
  if (place.kind === 'site') return answerSite(visit, place.page, path)
  if (place.page.page.demoOnly && visit.host.knownSite(languageNow()).mode !== 'demo')
    return answer(visit, nowhere, path)
  return answerApp(visit, place.page)
}

function redirect(to: string): Response {
  return new Response(null, { status: 302, headers: { Location: to } })
}

async function answerSite(visit: Visit, page: SitePage, path: string): Promise<Response> {
  const acted = visit.request.method === 'POST' ? await page.act?.(visit) : undefined
  if (acted instanceof Response) return acted
  const [{ frame, errorStatus }, loaded] = await Promise.all([readFrame(visit), acted ?? page.load?.(visit)])
  if (errorStatus !== undefined && !acted) return standInFrame(visit, frame, errorStatus)
  const tags = page.meta(frame)
  const body = renderSitePage(visit, page, { texts: frame.texts, data: loaded?.data })
  const handle: PageHandle = page.handle ?? {}
  // A page that nobody finds has no address in each language.
  const inEach = handle.hidden ? undefined : path
  const text = await renderDocument({ frame, handle, tags, path: inEach, children: body })
  return documentOf(text, loaded?.status ?? 200, { ...frameHeaders(frame), ...speculationRules })
}

async function answerApp(visit: Visit, place: AreaPage): Promise<Response> {
  const [{ frame, errorStatus }, [layout, page]] = await Promise.all([readFrame(visit), loadPage(place)])
  if (errorStatus !== undefined) return standInFrame(visit, frame, errorStatus)
  const scripts = scriptsOf(place)
  visit.host.bringScripts()
  const { texts: _, theme: __, ...appFrame } = frame
  const app = <AppRoot html={await renderApp(visit, appFrame)} frame={appFrame} />
  const handle = { ...layout.handle, ...page.handle }
  const text = await renderDocument({ frame, handle, tags: page.meta(frame), scripts, children: app })
  return documentOf(text, 200, frameHeaders(frame))
}

export const standIn: StandIn = (status, language, host) => {
  // At the address of no page, so that no link is marked as the current one.
  const request = new Request(`${host.publicUrl}/*`)
  return inLanguage(language, () => standInFrame({ request }, knownFrame(host), status))
}

/** Answers with the error page and what the API says of the firm now. */
async function standInNow(visit: Visit, status: number): Promise<Response> {
  const { frame, errorStatus } = await readFrame(visit)
  return standInFrame(visit, frame, errorStatus ?? status)
}

async function standInFrame(visit: Pick<Visit, 'request'>, frame: Frame, status: number): Promise<Response> {
  const tags = [{ title: `${errorWords(status).heading} · ${frame.site.firm.productName}` }]
  const children = renderStandIn(visit, status)
  // Keep the overlay for the first real page.
  const plain = { ...frame, overlay: false }
  const text = await renderDocument({ frame: plain, handle: { hidden: true }, tags, children })
  return documentOf(text, status, status === 405 ? { Allow: 'GET, HEAD' } : {})
}

function documentOf(text: string, status: number, headers: Record<string, string>): Response {
  return new Response(text, { status, headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' } })
}
