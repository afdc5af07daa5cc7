import { t } from '#shared/i18n/t.ts'
import { paper } from './styles/paper.ts'
import { type Theme, themePath } from './theme.ts'
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
    void store(body).then(isStored =>
      isStored ? show(button) : toast.error(t('The theme was not changed. Please try again in a moment.')),
    )
  }
  document.addEventListener('submit', choose, { signal: until.signal })
  return () => until.abort()
}

/** The answer to a stored choice leads back to this page, which is there already. */
async function store(body: URLSearchParams): Promise<boolean> {
  try {
    const { type } = await fetch(themePath, { method: 'POST', body, redirect: 'manual' })
    return type === 'opaqueredirect'
  } catch {
    return false
  }
}

function show(chosen: HTMLButtonElement): void {
  const { dataset } = document.documentElement
  if (chosen.value === 'system') delete dataset.theme
  else dataset.theme = chosen.value
  for (const button of chosen.form!.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button === chosen))
  colourBars(chosen.value as Theme)
}

/** The browser's own bars, as in a new document (server/document.tsx). */
function colourBars(theme: Theme): void {
  for (const former of document.querySelectorAll('meta[name="theme-color"]')) former.remove()
  for (const ground of theme === 'system' ? (['light', 'dark'] as const) : [theme]) {
    const media = theme === 'system' ? `(prefers-color-scheme: ${ground})` : ''
    const meta = document.createElement('meta')
    document.head.append(Object.assign(meta, { name: 'theme-color', content: paper[ground], media }))
  }
}
