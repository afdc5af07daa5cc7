import { lazy, Suspense, useEffect, useState } from 'react'
import { askBy } from '#web/api/proof.ts'

/** Loaded when first needed, with its dialog library. */
const ProofDialog = lazy(() => import('./proof-dialog.tsx'))

type Asked = { answer: (isProven: boolean) => void }

/** Prompts for reauthentication over any page. */
export function Proof() {
  const [asked, ask] = useState<Asked>()
  useEffect(() => askBy(() => new Promise(answer => ask({ answer }))), [])
  // Leaving the page counts as cancelling.
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
