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

// The first entry of a document has no key of its own; by it is known what belongs to which visit of a page.
if (!history.state?.key) history.replaceState({ ...history.state, key: crypto.randomUUID() }, '')

const here = pageAt(location.pathname)
// A part that could not be fetched is asked for again by the page, which says so or loads the document anew (app.tsx).
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
