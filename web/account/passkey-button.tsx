import { useState } from 'react'
import { beginPasskeyLogin, loginByPasskey } from '#shared/contract/second-factor.ts'
import { useAct } from '#web/api/act.ts'
import { deviceId } from '#web/api/device.ts'
import { Button } from '#web/ui/button.tsx'
import { useEnter } from './enter.ts'

/** Signs in without a password: whose passkey it is, the visitor's device knows. */
export function PasskeyButton() {
  const [busy, setBusy] = useState(false)
  const begin = useAct(beginPasskeyLogin, { success: false })
  const login = useAct(loginByPasskey, { onSuccess: useEnter() })

  async function signIn() {
    // Beside the question to the server: some browsers ask the device only shortly after the press.
    const [options, { answerByPasskey }] = await Promise.all([begin.run({}), import('#web/api/passkey.ts')])
    const response = options && (await answerByPasskey(options))
    if (response) await login.run({ body: { response, device: deviceId() } })
  }

  async function press() {
    setBusy(true)
    try {
      await signIn()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Button tone="quiet" busy={busy} onClick={press}>
      Sign in with a passkey
    </Button>
  )
}
