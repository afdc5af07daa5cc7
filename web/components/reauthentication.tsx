import { lazy, Suspense, useEffect, useState } from 'react'
import { askBy } from '#web/api/reauthentication.ts'

/** Loaded when first needed, with its dialog library. */
const ReauthenticationDialog = lazy(() => import('./reauthentication-dialog.tsx'))

type Asked = { answer: (hasReauthenticated: boolean) => void }

/** Prompts for reauthentication over any page. */
export function Reauthentication() {
  const [asked, ask] = useState<Asked>()
  useEffect(() => askBy(() => new Promise(answer => ask({ answer }))), [])
  // Leaving the page counts as cancelling.
  useEffect(() => () => asked?.answer(false), [asked])
  if (!asked) return null
  function close(hasReauthenticated: boolean) {
    ask(undefined)
    asked?.answer(hasReauthenticated)
  }
  return (
    <Suspense>
      <ReauthenticationDialog onClose={close} />
    </Suspense>
  )
}
