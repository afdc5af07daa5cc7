import { StrictMode, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { App } from './app.tsx'
import { type AppFrame, FrameContext } from './frame.ts'
import { loadPage, pageAt } from './pages.ts'
import { scriptEvents } from './ready.ts'
import { keepTyped } from './typed.ts'

const typed = keepTyped()
const frame = JSON.parse(document.getElementById('frame')!.textContent!) as AppFrame

function Page() {
  useEffect(() => {
    typed.done()
    dispatchEvent(new Event(scriptEvents.ready))
  }, [])
  return (
    <FrameContext value={frame}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </FrameContext>
  )
}

// The first history entry has no key; pages need one to tell visits apart.
if (!history.state?.key) history.replaceState({ ...history.state, key: crypto.randomUUID() }, '')

const here = pageAt(location.pathname)
// On failure the page loads it again, or app.tsx reloads the document.
if (here) await loadPage(here).catch(() => {})
startTransition(() => {
  dispatchEvent(new Event(scriptEvents.runs))
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
