import { useEffect, useLayoutEffect } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'

const storageKey = 'scrolled'

/**
 * New pages start at the top or at the address's anchor; Back and reload restore the position. Changes within one page
 * (a dialog, a step, a filter) do not scroll.
 */
export function useScroll() {
  const { key, pathname, hash } = useLocation()
  const type = useNavigationType()
  // An anchor typed into the address makes an entry without a key of its own.
  const entry = key + hash
  const part = pathname + hash

  useEffect(() => {
    history.scrollRestoration = 'manual'
    const follow = () => positions.set(onShow, scrollY)
    // Per tab, so that Back finds it after a full page load.
    const keep = () => sessionStorage.setItem(storageKey, JSON.stringify([...positions]))
    addEventListener('scroll', follow, { passive: true })
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('scroll', follow)
      removeEventListener('pagehide', keep)
    }
  }, [])

  // Save the old position before scrolling for the new place. Dialogs over a page scroll nothing.
  useLayoutEffect(() => {
    if (partOnShow === part) positions.set(entry, scrollY)
    partOnShow = part
    onShow = entry
  }, [entry, part])

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page is another one.
  useLayoutEffect(() => {
    const before = type === NavigationType.Pop ? positions.get(entry) : undefined
    if (before !== undefined) return hold(() => scrollTo(0, before))
    if (hash) return hold(() => document.getElementById(hash.slice(1))?.scrollIntoView())
    scrollTo(0, 0)
  }, [part])
}

/** A page that has not grown for so long has loaded, in milliseconds. */
const loadedMs = 10_000

/** Scrolls again whenever the page has loaded more, until the reader does something. @returns ends it before */
function hold(scroll: () => void): () => void {
  scroll()
  let loaded: ReturnType<typeof setTimeout> | undefined
  const observer = new ResizeObserver(() => {
    scroll()
    clearTimeout(loaded)
    loaded = setTimeout(end, loadedMs)
  })
  const over = new AbortController()
  function end() {
    observer.disconnect()
    over.abort()
  }
  observer.observe(document.body)
  for (const input of ['wheel', 'pointerdown', 'keydown']) addEventListener(input, end, over)
  return end
}

/** The current history entry, and the path and anchor of its page. */
let onShow = ''
let partOnShow = ''

/** Scroll position of each history entry, in pixels. */
const positions = kept()

function kept(): Map<string, number> {
  try {
    // Without a stored text it is null, which gives an empty map.
    return new Map(JSON.parse(sessionStorage.getItem(storageKey)!))
  } catch {
    // No storage: on the server, or blocked.
    return new Map()
  }
}
