import { useState } from 'react'
import {
  beginPasskeyReauthentication,
  passkeys,
  reauthenticateByPasskey,
} from '#shared/contract/second-factor.ts'
import { useAct } from '#web/api/act.ts'
import { useRead } from '#web/api/read.ts'
import { Button } from '#web/ui/button.tsx'

/** Reauthentication by passkey, for users who have one. */
export function ProofByPasskey({ onProven }: { onProven: () => void }) {
  const { data } = useRead(passkeys, {})
  const [busy, setBusy] = useState(false)
  const begin = useAct(beginPasskeyReauthentication, { success: false })
  const prove = useAct(reauthenticateByPasskey, { success: false, onSuccess: onProven })
  if (!data?.some(({ refused }) => !refused)) return null

  async function answer() {
    const [options, { answerByPasskey }] = await Promise.all([begin.run({}), import('#web/api/passkey.ts')])
    const response = options && (await answerByPasskey(options))
    if (response) await prove.run({ body: { response } })
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
      Use a passkey
    </Button>
  )
}
