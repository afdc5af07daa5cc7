import { useState } from 'react'
import { addPasskey, beginPasskey } from '#shared/contract/second-factor.ts'
import { deviceWords } from '#shared/devices.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, missing } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { useVerifiedSession } from './verified-session.ts'

const fields = ['name'] as const
const required = () => t('Name is required')

/** Asks for a name, then has the device create the passkey. */
export function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const [busy, setBusy] = useState(false)
  const shown = useVerifiedSession()
  const begin = useMutation(beginPasskey, { success: false })
  const add = useMutation(addPasskey, {
    async onSuccess() {
      await shown()
      onClose()
    },
  })

  async function make(name: string) {
    const [options, { makePasskey }] = await Promise.all([begin.run({}), import('#web/api/passkey.ts')])
    const response = options && (await makePasskey(options))
    if (response) await add.run({ body: { name, response } })
  }

  async function submit({ name }: { name: string }) {
    setBusy(true)
    try {
      await make(name)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Add a passkey')}
      description={t(
        'Your device will ask you to confirm. You can store it in a password manager or on a security key.',
      )}
    >
      <Form
        fields={fields}
        check={values => missing(values, fields, required(), required())}
        onSubmit={submit}
        pending={busy}
        error={begin.error ?? add.error}
      >
        <Field name="name" label={t('Name')} hint={t('To recognise it in the list.')}>
          <Input defaultValue={deviceWords(navigator.userAgent)} autoComplete="off" maxLength={60} />
        </Field>
        <DialogFormEnd onCancel={onClose}>{t('Continue')}</DialogFormEnd>
      </Form>
    </Dialog>
  )
}
