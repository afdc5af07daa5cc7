/**
 * Starts a page of the account area once it is painted. A classic script in the head: nothing can be pressed or sent before it
 * listens. An import statement, even of a type, would make it a module; its element names the files to load.
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
    // What opens and closes a popover works without a script.
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
  // Where React made the page anew, its one form has taken the place of the one that was sent.
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
    // An import() would not do: Vite rewrites it in development, and this script is no module.
    document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: entry }))
  }
  // A tab that nobody looks at paints nothing.
  addEventListener('DOMContentLoaded', () =>
    document.hidden ? start() : requestAnimationFrame(() => setTimeout(start)),
  )
}
