import { type ReactNode, StrictMode, useEffect, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { App } from './app.tsx'
import { type AppFrame, FrameContext } from './frame.ts'
import { loadPage, openConsole, pageAt } from './pages.ts'

const frame = JSON.parse(document.getElementById('frame')!.textContent!) as AppFrame
const root = document.getElementById('app')!
const app = (
  <StrictMode>
    <FrameContext value={frame}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </FrameContext>
  </StrictMode>
)

/** React takes over in one task, which begins here: nobody changes the page in between. */
function TakenOver({ children }: { children: ReactNode }) {
  const [isThere, setThere] = useState(false)
  takeOver!.begin()
  useEffect(() => {
    // After what the page's own first effects change.
    if (isThere) takeOver!.end()
    else setThere(true)
  }, [isThere])
  return children
}

// The first history entry has no key; pages need one to tell visits apart.
if (!history.state?.key) history.replaceState({ ...history.state, key: crypto.randomUUID() }, '')

if (location.pathname.startsWith('/admin')) await openConsole().catch(() => {})
const here = pageAt(location.pathname)
// On failure the page loads it again, or app.tsx reloads the document.
if (here) await loadPage(here).catch(() => {})

// Account pages keep the elements that people type into; the others were served with a placeholder only.
if (globalThis.takeOver) hydrateRoot(root, <TakenOver>{app}</TakenOver>)
else createRoot(root).render(app)
