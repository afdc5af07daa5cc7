import { matchRoutes, type RouteObject } from 'react-router'
import type { CommonDocumentOf } from '#shared/web.ts'
import { overlaySeen, seenCookie } from '#web/components/start-overlay.tsx'
import { type Area, type AreaPage, areas, shortcuts } from '#web/pages.ts'
import type { Resource, SitePage } from '#web/site/page-data.ts'
import { notFound, resources, sitePages } from '#web/site/pages.ts'
import { themePath } from '#web/theme.ts'
import { themeCookie, themeOf } from './theme.tsx'

/** What answers a path pattern: `/about`, `/verify/:email`, `/*` for unknown paths. */
export type Place = { pattern: string } & (
  | { kind: 'site'; page: SitePage }
  | { kind: 'app'; page: AreaPage }
  | { kind: 'resource'; resource: Resource }
  | { kind: 'shortcut'; to: string }
)

const places: Place[] = [
  ...Object.entries(sitePages).map(([pattern, page]) => ({ kind: 'site' as const, pattern, page })),
  ...Object.entries(resources).map(([pattern, resource]) => ({
    kind: 'resource' as const,
    pattern,
    resource,
  })),
  ...Object.entries(shortcuts).map(([pattern, to]) => ({ kind: 'shortcut' as const, pattern, to })),
  ...Object.values<Area>(areas).flatMap(area =>
    area.pages.map(page => ({ kind: 'app' as const, pattern: page.path, page: { area, page } })),
  ),
]
/** Unknown paths (R-08). */
export const nowhere: Place = { kind: 'site', pattern: '/*', page: notFound }

const routes: RouteObject[] = places.map(({ pattern }, place) => ({ id: String(place), path: pattern }))
/** Places without path parameters, by path. */
const known = new Map(
  places.filter(({ pattern }) => !pattern.includes(':')).map(place => [place.pattern, place]),
)

export function placeAt(pathname: string): Place {
  const place = known.get(pathname)
  if (place) return place
  const route = matchRoutes(routes, pathname)?.at(-1)?.route
  return (route && places[Number(route.id)]) ?? nowhere
}

export function takesForms({ pathname }: URL): boolean {
  if (pathname === themePath) return true
  const place = placeAt(pathname)
  return place.kind === 'site' && place.page.act !== undefined
}

/**
 * Every page is the same for everyone, except for the overlay, the theme and its query flags. Whatever else an address says, a page
 * reads in the browser.
 */
export const commonDocument: CommonDocumentOf = ({ origin, pathname, searchParams }, cookies) => {
  const place = placeAt(pathname)
  const path = place.pattern.replaceAll(/:\w+/g, '-')
  if (place.kind === 'resource' || place.kind === 'shortcut') return { address: path, cookie: undefined }
  const flags = flagsOf(place)
    .filter(flag => searchParams.has(flag))
    .map(flag => `${flag}=1`)
  const address = flags.length > 0 ? `${path}?${flags.join('&')}` : path
  const seen = overlaySeen(cookies, origin) ? [seenCookie(origin)] : []
  return { address, cookie: [...seen, ...themeCookie(themeOf(cookies, origin), origin)].join('; ') }
}

function flagsOf(place: Place): readonly string[] {
  return (place.kind === 'site' && place.page.handle?.flags) || []
}
