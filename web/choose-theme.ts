import { themePath } from './theme.ts'
import { toast } from './ui/toast.ts'

/**
 * Changes the theme without loading the page again, which would lose what was typed (P-18). The cookie is set as on pages
 * without a script.
 * @returns leaves the form to the browser again
 */
export function chooseInPlace(): () => void {
  const until = new AbortController()
  const choose = (event: SubmitEvent) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.getAttribute('action') !== themePath) return
    event.preventDefault()
    const button = event.submitter as HTMLButtonElement
    const body = new URLSearchParams({ theme: button.value })
    // The answer leads back to this page, which is there already.
    fetch(themePath, { method: 'POST', body, redirect: 'manual' }).then(
      () => show(button),
      () => toast.error('The theme was not changed. Check your connection and try again.'),
    )
  }
  document.addEventListener('submit', choose, { signal: until.signal })
  return () => until.abort()
}

function show(chosen: HTMLButtonElement): void {
  const { dataset } = document.documentElement
  if (chosen.value === 'system') delete dataset.theme
  else dataset.theme = chosen.value
  for (const button of chosen.form!.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button === chosen))
  const paper = getComputedStyle(document.body).backgroundColor
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = paper
}
