/**
 * Starts an account page once it is painted, and lets React take over the served HTML with nothing lost. A classic
 * script in the head, to catch early presses. Its element names the files to load: inline scripts are forbidden.
 */
{
  const { entry, preloads } = document.currentScript!.dataset as { entry: string; preloads: string }
  let pressed: HTMLElement | undefined
  let isBroken = false
  let sent: { form: HTMLFormElement; by: HTMLElement | null } | undefined

  const started = new AbortController()
  const until = { capture: true, signal: started.signal }

  // Popovers work without a script.
  const held = '#app button[type=button]:not([popovertarget]), #app main a[href^="/"]:not([target])'
  const press = (event: MouseEvent) => {
    const element = (event.target as Element).closest<HTMLElement>(held)
    if (!element) return
    if (element instanceof HTMLAnchorElement) {
      // These open elsewhere: this page stays, with what was typed.
      if (isBroken || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
    }
    // It is pressed again once everything is there: until then, React must not act on it.
    event.stopPropagation()
    pressed = element
  }
  const send = (event: SubmitEvent) => {
    const form = event.target as HTMLFormElement
    if (!form.closest('#app')) return
    event.preventDefault()
    event.stopPropagation()
    sent = { form, by: event.submitter }
  }
  addEventListener('click', press, until)
  addEventListener('submit', send, until)
  // Of the page's script, too, whether it fails to load or to run.
  addEventListener('error', followLinks, until)
  addEventListener('unhandledrejection', followLinks, until)

  /** What others changed in the page, for example password managers; React would make such a page anew. */
  const changes: MutationRecord[] = []
  const observer = new MutationObserver(records => changes.push(...records))

  function undoChanges() {
    changes.push(...observer.takeRecords())
    observer.disconnect()
    for (const { target, addedNodes, removedNodes, nextSibling } of changes.splice(0).reverse()) {
      for (const node of addedNodes) node.parentNode?.removeChild(node)
      const next = nextSibling?.parentNode === target ? nextSibling : null
      for (const node of removedNodes) target.insertBefore(node, next)
    }
  }

  globalThis.takeOver = {
    begin: undoChanges,
    end() {
      started.abort()
      sent?.form.requestSubmit(sent.by)
      pressed?.click()
    },
  }

  /** Links work without the page's script; forms do not. */
  function followLinks() {
    isBroken = true
    if (!(pressed instanceof HTMLAnchorElement)) return
    const link = pressed
    pressed = undefined
    link.click()
  }

  const start = () => {
    for (const href of preloads.split(' ').filter(Boolean))
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
    // No import(): Vite rewrites it in development, and this script is no module.
    const script = Object.assign(document.createElement('script'), { type: 'module', src: entry })
    document.head.append(script)
  }
  addEventListener('DOMContentLoaded', () => {
    observer.observe(document.getElementById('app')!, { childList: true, subtree: true })
    // Hidden tabs never paint.
    if (document.hidden) start()
    else requestAnimationFrame(() => setTimeout(start))
  })
}
