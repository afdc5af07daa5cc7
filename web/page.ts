import type { ComponentType } from 'react'
import type { AppFrame } from './frame.ts'

/** Properties of the document around a page. */
export type PageHandle = {
  /** Never indexed, not even in live mode. */
  hidden?: true
  /** Query flags that change a public page; nothing else of the query may (server/places.ts). */
  flags?: readonly string[]
}

export type MetaTag =
  | { title: string }
  | { name: string; content: string }
  | { property: string; content: string }
  | { rel: string; href: string; hrefLang?: string }
  /** Structured data (JSON-LD), which browsers do not run. */
  | { jsonLd: object }

export type Meta = (frame: AppFrame) => MetaTag[]

/** Exports of a page's module. */
export type PageModule = { default: ComponentType; meta: Meta; handle?: PageHandle }

/** Exports of an area's layout, which shows the page in its `Outlet`. */
export type LayoutModule = { default: ComponentType; handle?: PageHandle }

export function titleOf(tags: readonly MetaTag[]): string | undefined {
  return tags.flatMap(tag => ('title' in tag ? [tag.title] : []))[0]
}
