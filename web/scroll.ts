import { useEffect, useLayoutEffect } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'

const storageKey = 'scrolled'

/**
 * A new page begins at its top or at the part that its address names; the way back leads to where one was. What changes at
 * one address (a record over it, a step, a filter) moves nothing.
 */
export function useScroll() {
  const { key, pathname, hash } = useLocation()
  const type = useNavigationType()

  useEffect(() => {
    history.scrollRestoration = 'manual'
    const follow = () => positions.set(onShow, scrollY)
    // Of this tab, so that the way back finds it when the document was another one meanwhile.
    const keep = () => sessionStorage.setItem(storageKey, JSON.stringify([...positions]))
    addEventListener('scroll', follow, { passive: true })
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('scroll', follow)
      removeEventListener('pagehide', keep)
    }
  }, [])

  // Before the page is scrolled for the new place: from then on it counts for that. What opens over a page scrolls nothing.
  useLayoutEffect(() => {
    if (pathOnShow === pathname) positions.set(key, scrollY)
    pathOnShow = pathname
    onShow = key
  }, [key, pathname])

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page is another one.
  useLayoutEffect(() => {
    const before = type === NavigationType.Pop ? positions.get(key) : undefined
    if (before !== undefined) scrollTo(0, before)
    else if (hash) partOf(hash)?.scrollIntoView()
    else scrollTo(0, 0)
  }, [pathname, hash])
}

function partOf(hash: string): HTMLElement | null {
  const name = hash.slice(1)
  try {
    return document.getElementById(decodeURIComponent(name))
  } catch {
    // A stray percent sign.
    return document.getElementById(name)
  }
}

/** The entry of the history that is on show, and the path of its page. */
let onShow = ''
let pathOnShow = ''

/** How far down each entry of the history was, in pixels. */
const positions = kept()

function kept(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(storageKey) ?? '[]'))
  } catch {
    // On the server, or where a browser keeps nothing.
    return new Map()
  }
}
