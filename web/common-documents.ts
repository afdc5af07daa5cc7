import * as build from 'virtual:react-router/server-build'
import { matchRoutes, type RouteObject } from 'react-router'
import type { CommonDocument, CommonDocumentOf } from '#shared/web.ts'
import { overlaySeen, seenByCookie } from './components/start-overlay.tsx'
import type { RouteHandle } from './root.tsx'

/** A page or a resource, by the pattern of its path: `/about`, and `/*` for all that there is not. */
type Place = { pattern: string; isCommon: boolean; flags: readonly string[]; hasOverlay: boolean }

const routes = routesBelow(undefined)
/** Those whose pattern is their only address, as they are asked for. */
const known = new Map<string, Place>()

/**
 * Pages without scripts are the same for everybody, but for the overlay of the first one and for what a route calls its
 * flags (`RouteHandle`); the rest of a query changes nothing.
 */
export const commonDocument: CommonDocumentOf = ({ pathname, searchParams }, cookies) => {
  const place = placeAt(pathname)
  if (!place?.isCommon) return undefined
  const flags = place.flags.filter(flag => searchParams.has(flag)).map(flag => `${flag}=1`)
  const address = flags.length > 0 ? `${place.pattern}?${flags.join('&')}` : place.pattern
  return { address, cookie: place.hasOverlay ? overlayCookie(cookies) : undefined } satisfies CommonDocument
}

function overlayCookie(cookies: string): string {
  return overlaySeen(cookies) ? seenByCookie : ''
}

function placeAt(pathname: string): Place | undefined {
  const place = known.get(pathname)
  if (place) return place
  const matches = matchRoutes(routes, pathname)
  // What React Router's own client asks for (single fetch) is no document.
  if (matches === null || pathname.endsWith('.data')) return undefined
  const pattern = `/${matches.flatMap(({ route }) => route.path || []).join('/')}`
  const handle: RouteHandle = Object.assign({}, ...matches.map(({ route }) => route.handle))
  const found: Place = {
    pattern,
    isCommon: handle.scripts !== true && !pattern.includes(':'),
    flags: handle.flags ?? [],
    hasOverlay: build.routes[matches.at(-1)!.route.id!]?.module.default !== undefined,
  }
  if (pattern === pathname) known.set(pathname, found)
  return found
}

function routesBelow(parentId: string | undefined): RouteObject[] {
  return Object.values(build.routes)
    .filter(route => route !== undefined && route.parentId === parentId)
    .map(route => {
      const { id, path, index, module } = route!
      return { id, path, index, handle: module.handle, children: routesBelow(id) } as RouteObject
    })
}
