import { site } from '#shared/contract/site.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { overlaySeen, setSeenCookie } from '#web/components/start-overlay.tsx'
import { type Frame, shownUntil } from '#web/frame.ts'
import type { Visit } from '#web/site/page-data.ts'
import { refusalOf } from './host.ts'
import { themeOf } from './theme.tsx'

/** The document's frame; with an error status if only configured values are known. */
export async function readFrame({ host, request }: Visit): Promise<{ frame: Frame; errorStatus?: number }> {
  try {
    const answer = await host.call(site, {})
    const overlay = !overlaySeen(request.headers.get('Cookie') ?? '', host.publicUrl)
    const theme = themeOf(request.headers.get('Cookie') ?? '', host.publicUrl)
    const frame: Frame = { ...partsOf(answer), overlay, theme, origin: host.publicUrl }
    for (const until of shownUntil(frame.site)) host.validUntil(until)
    return { frame }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) host.logError(error)
    return { frame: knownFrame(host), errorStatus: refusal?.status ?? 500 }
  }
}

/** The frame from configuration alone. */
export function knownFrame(host: Pick<Visit['host'], 'knownSite' | 'publicUrl'>): Frame {
  const known = host.knownSite(languageNow())
  return { ...partsOf(known), overlay: false, theme: 'system', origin: host.publicUrl }
}

function partsOf({
  firm: { texts, ...firm },
  ...site
}: ReturnType<Visit['host']['knownSite']>): Pick<Frame, 'site' | 'texts'> {
  return { site: { ...site, firm }, texts }
}

/** Headers of a document with this frame: the overlay shows once. */
export function frameHeaders({ overlay, origin }: Frame): Record<string, string> {
  return overlay ? { 'Set-Cookie': setSeenCookie(origin) } : {}
}
