import { StrictMode, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { App } from './app.tsx'
import { type Frame, FrameContext } from './frame.ts'
import { loadPage, pageAt } from './pages.ts'
import { keepTyped } from './typed.ts'

// Radix's scroll lock adds a style element, which the content security policy allows with the page's nonce only.
Object.assign(globalThis, {
  __webpack_nonce__: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce,
})

const typed = keepTyped()
const frame = JSON.parse(document.getElementById('frame')!.textContent!) as Frame

function Page() {
  useEffect(typed.done, [])
  return (
    <FrameContext value={frame}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </FrameContext>
  )
}

const here = pageAt(location.pathname)
if (here) await loadPage(here)
startTransition(() => {
  hydrateRoot(
    document.getElementById('app')!,
    <StrictMode>
      <Page />
    </StrictMode>,
    {
      onRecoverableError(error) {
        typed.restore()
        reportError(error)
      },
    },
  )
})
