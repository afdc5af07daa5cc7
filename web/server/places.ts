import { matchRoutes, type RouteObject } from 'react-router'
import { isLanguage, type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import type { CommonDocumentOf } from '#shared/web.ts'
import type { AreaPage } from '#web/area.ts'
import { overlaySeen, seenCookie } from '#web/components/start-overlay.tsx'
import { admin } from '#web/console-pages.ts'
import { inLanguagePath, languagePath } from '#web/language.ts'
import { areas, shortcuts } from '#web/pages.ts'
import type { Resource, SitePage } from '#web/site/page-data.ts'
import { notFound, resources, sitePages } from '#web/site/pages.ts'
import { themePath } from '#web/theme.ts'
import { chosenLanguage, languageCookie } from './language.ts'
import { themeCookie, themeOf } from './theme.tsx'

/** What answers a path pattern: `/about`, `/verify/:email`, `/*` for unknown paths. */
export type Place = { pattern: string } & (
  | { kind: 'site'; page: SitePage }
  | { kind: 'app'; page: AreaPage }
  | { kind: 'resource'; resource: Resource }
  | { kind: 'shortcut'; to: string }
  /** Chooses a language and leads on. */
  | { kind: 'choice'; language: Language }
)

areas.admin = admin

const places: Place[] = [
  ...Object.entries(sitePages).map(([pattern, page]) => ({ kind: 'site' as const, pattern, page })),
  ...Object.entries(resources).map(([pattern, resource]) => ({
    kind: 'resource' as const,
    pattern,
    resource,
  })),
  ...Object.entries(shortcuts).map(([pattern, to]) => ({ kind: 'shortcut' as const, pattern, to })),
  ...Object.values(areas).flatMap(area =>
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

/**
 * What answers an address, its language, and its path in English. The language is that of the address for public pages,
 * English for files, else undefined. A page of an account with a language in its address only chooses it.
 */
export function placeAt(pathname: string): { place: Place; language: Language | undefined; path: string } {
  const [, code, rest = '/'] = pathname.match(/^\/([a-z]{2})(\/(?!\/).*)?$/) ?? []
  if (!isLanguage(code)) {
    const place = placeOf(pathname)
    return { place, language: hasOneLanguage(place) ? sourceLanguage : undefined, path: pathname }
  }
  const place = placeOf(rest)
  const isTranslated = code !== sourceLanguage && hasEachLanguage(place)
  if (place.kind === 'resource' && !isTranslated) return { place: nowhere, language: code, path: rest }
  if (isTranslated) return { place, language: code, path: rest }
  return { place: { kind: 'choice', pattern: pathname, language: code }, language: code, path: rest }
}

/** A page that has no address of its own in each language, such as that of an unknown one, is in the language chosen. */
function hasOneLanguage(place: Place): boolean {
  return place.kind === 'resource' || (place.kind === 'site' && !place.page.handle?.hidden)
}

function hasEachLanguage(place: Place): boolean {
  return place.kind === 'site' || (place.kind === 'resource' && place.resource.inEachLanguage === true)
}

function placeOf(pathname: string): Place {
  const place = known.get(pathname)
  if (place) return place
  const route = matchRoutes(routes, pathname)?.at(-1)?.route
  return (route && places[Number(route.id)]) ?? nowhere
}

/** Its place decides, or else the language that the cookies choose. */
export function languageOf({ origin, pathname }: URL, cookies: string): Language {
  return placeAt(pathname).language ?? chosenLanguage(cookies, origin)
}

export function takesForms({ pathname }: URL): boolean {
  if (pathname === themePath || pathname === languagePath) return true
  const { place } = placeAt(pathname)
  return place.kind === 'site' && place.page.act !== undefined
}

/**
 * Every page is the same for everyone, except for the overlay, the theme, the language and its query flags. Whatever else
 * an address says, a page reads in the browser.
 */
export const commonDocument: CommonDocumentOf = ({ origin, pathname, searchParams }, cookies) => {
  const { place, language } = placeAt(pathname)
  if (place.kind === 'choice') return undefined
  const path = inLanguagePath(place.pattern.replaceAll(/:\w+/g, '-'), language ?? sourceLanguage)
  if (place.kind === 'resource' || place.kind === 'shortcut') return { address: path, cookie: undefined }
  const flags = flagsOf(place)
    .filter(flag => searchParams.has(flag))
    .map(flag => `${flag}=1`)
  const address = flags.length > 0 ? `${path}?${flags.join('&')}` : path
  const seen = overlaySeen(cookies, origin) ? [seenCookie(origin)] : []
  const theme = themeCookie(themeOf(cookies, origin), origin)
  const chosen = language === undefined ? languageCookie(chosenLanguage(cookies, origin), origin) : []
  return { address, cookie: [...seen, ...theme, ...chosen].join('; ') }
}

function flagsOf(place: Place): readonly string[] {
  return (place.kind === 'site' && place.page.handle?.flags) || []
}
