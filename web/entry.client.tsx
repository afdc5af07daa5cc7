import { StrictMode, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { keepTyped } from './typed.ts'

// Radix's scroll lock adds a style element, which the content security policy allows with the page's nonce only.
Object.assign(globalThis, {
  __webpack_nonce__: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce,
})

const typed = keepTyped()

function Page() {
  useEffect(typed.done, [])
  return <HydratedRouter />
}

startTransition(() => {
  hydrateRoot(
    document,
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
