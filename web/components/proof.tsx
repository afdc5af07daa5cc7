import { lazy, Suspense, useEffect, useState } from 'react'
import { askBy } from '#web/api/proof.ts'

/** With the library of dialogs: loaded when it is first needed. */
const ProofDialog = lazy(() => import('./proof-dialog.tsx'))

type Asked = { answer: (isProven: boolean) => void }

/** Asks for the password once more, over whatever page is open, where an act needs a recent proof of identity. */
export function Proof() {
  const [asked, ask] = useState<Asked>()
  useEffect(() => askBy(() => new Promise(answer => ask({ answer }))), [])
  // Whoever leaves the page has not answered; what was answered before stays.
  useEffect(() => () => asked?.answer(false), [asked])
  if (!asked) return null
  function close(isProven: boolean) {
    ask(undefined)
    asked?.answer(isProven)
  }
  return (
    <Suspense>
      <ProofDialog onClose={close} />
    </Suspense>
  )
}
