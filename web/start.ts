/**
 * Starts an account page once it is painted. A classic script in the head, to catch early clicks: an import, even of a
 * type, would make it a module. Its element names the files to load, because inline scripts are forbidden.
 */
{
  const events = {
    runs: 'script-runs',
    ready: 'script-ready',
  } satisfies typeof import('./ready.ts').scriptEvents
  const { entry, preloads } = document.currentScript!.dataset as { entry: string; preloads: string }
  let pressed: HTMLElement | undefined
  let sent: { form: HTMLFormElement; by: HTMLElement | null } | undefined

  const press = ({ target }: Event) => {
    // Popovers work without a script.
    const button = '#app button[type=button]:not([popovertarget])'
    pressed = (target as Element).closest<HTMLElement>(button) ?? pressed
  }
  const send = (event: SubmitEvent) => {
    const form = event.target as HTMLFormElement
    if (!form.closest('#app')) return
    event.preventDefault()
    event.stopPropagation()
    sent = { form, by: event.submitter }
  }
  // If React recreated the page, its only form replaces the one that was sent.
  const formOf = (form: HTMLFormElement) =>
    form.isConnected ? form : document.querySelector<HTMLFormElement>('#app form')
  addEventListener('click', press, true)
  addEventListener('submit', send, true)
  addEventListener(events.runs, () => removeEventListener('click', press, true))
  addEventListener(
    events.ready,
    () => {
      removeEventListener('submit', send, true)
      if (sent) formOf(sent.form)?.requestSubmit(sent.by?.isConnected ? sent.by : null)
      if (pressed?.isConnected) pressed.click()
    },
    { once: true },
  )

  const start = () => {
    for (const href of preloads.split(' ').filter(Boolean))
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
    // No import(): Vite rewrites it in development, and this script is no module.
    document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: entry }))
  }
  // Hidden tabs never paint.
  addEventListener('DOMContentLoaded', () =>
    document.hidden ? start() : requestAnimationFrame(() => setTimeout(start)),
  )
}
