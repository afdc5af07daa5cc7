import { useState } from 'react'
import { beginPasskeyLogin, loginByPasskey } from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { deviceId } from '#web/api/device.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Button } from '#web/ui/button.tsx'
import { useAfterLogin } from './after-login.ts'

/** Logs in with a passkey; the device knows whose it is. */
export function PasskeyButton() {
  const [busy, setBusy] = useState(false)
  const begin = useMutation(beginPasskeyLogin, { success: false })
  const login = useMutation(loginByPasskey, { onSuccess: useAfterLogin() })

  async function logIn() {
    // In parallel, because some browsers allow a passkey prompt only shortly after the press.
    const [options, { answerByPasskey }] = await Promise.all([begin.run({}), import('#web/api/passkey.ts')])
    const response = options && (await answerByPasskey(options))
    if (response) await login.run({ body: { response, device: deviceId() } })
  }

  async function press() {
    setBusy(true)
    try {
      await logIn()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Button tone="quiet" busy={busy} onClick={press}>
      {t('Use a passkey')}
    </Button>
  )
}
