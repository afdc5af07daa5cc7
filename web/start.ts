import type { scriptEvents } from './ready.ts'

/**
 * Starts an account page once it is painted. A classic script in the head, so that it catches early clicks; its
 * element names the files to load, because inline scripts are forbidden.
 */
{
  const events = { runs: 'script-runs', ready: 'script-ready' } satisfies typeof scriptEvents
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
  addEventListener('click', press, true)
  addEventListener('submit', send, true)
  addEventListener(events.runs, () => removeEventListener('click', press, true))
  addEventListener(
    events.ready,
    () => {
      removeEventListener('submit', send, true)
      if (sent?.form.isConnected) sent.form.requestSubmit(sent.by)
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
