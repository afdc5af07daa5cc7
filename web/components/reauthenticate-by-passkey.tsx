import { useState } from 'react'
import {
  beginPasskeyReauthentication,
  passkeys,
  reauthenticateByPasskey,
} from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Button } from '#web/ui/button.tsx'

/** Reauthentication by passkey, for users who have one. */
export function ReauthenticateByPasskey({ onReauthenticated }: { onReauthenticated: () => void }) {
  const { data } = useRead(passkeys, {})
  const [busy, setBusy] = useState(false)
  const begin = useMutation(beginPasskeyReauthentication, { success: false })
  const reauthenticate = useMutation(reauthenticateByPasskey, {
    success: false,
    onSuccess: onReauthenticated,
  })
  if (!data?.some(({ refused }) => !refused)) return null

  async function answer() {
    const [options, { answerByPasskey }] = await Promise.all([begin.run({}), import('#web/api/passkey.ts')])
    const response = options && (await answerByPasskey(options))
    if (response) await reauthenticate.run({ body: { response } })
  }

  async function press() {
    setBusy(true)
    try {
      await answer()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Button tone="quiet" className="mb-6 w-full" busy={busy} onClick={press}>
      {t('Use a passkey')}
    </Button>
  )
}
