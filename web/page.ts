import type { ComponentType } from 'react'
import type { AppFrame } from './frame.ts'

/** What a page, or the layout around it, says about the document that it stands in. */
export type PageHandle = {
  /** Not for search engines, in live mode either. */
  hidden?: true
  /** Names in the query whose presence changes a page without scripts; nothing else of the query may (server/places.ts). */
  flags?: readonly string[]
}

/** An element of the head. */
export type MetaTag =
  | { title: string }
  | { name: string; content: string }
  | { property: string; content: string }
  | { rel: string; href: string }
  /** A block of data (JSON-LD): browsers run nothing of it. */
  | { jsonLd: object }

export type Meta = (frame: AppFrame) => MetaTag[]

/** What the module of a page exports. */
export type PageModule = { default: ComponentType; meta: Meta; handle?: PageHandle }

/** What the module of the layout of an area exports; the page stands in its `Outlet`. */
export type LayoutModule = { default: ComponentType; handle?: PageHandle }

export function titleOf(tags: readonly MetaTag[]): string | undefined {
  return tags.flatMap(tag => ('title' in tag ? [tag.title] : []))[0]
}
