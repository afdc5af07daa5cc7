import { reauthenticate } from '#shared/contract/accounts.ts'
import { secondFactor } from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { reauthenticationMinutes } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, missing } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { Loading } from '#web/ui/states.tsx'
import { AnyCodeField } from './code-fields.tsx'
import { ReauthenticateByPasskey } from './reauthenticate-by-passkey.tsx'

const fields = ['password', 'code'] as const

/** Reauthentication dialog. */
export default function ReauthenticationDialog({
  onClose,
}: {
  onClose: (hasReauthenticated: boolean) => void
}) {
  const factor = useRead(secondFactor, {})
  return (
    <Dialog
      open
      onClose={() => onClose(false)}
      title={t('Confirm it’s you')}
      description={t(
        'Enter your password to continue. We won’t ask again for {reauthenticationMinutes} minutes.',
        { reauthenticationMinutes },
      )}
    >
      <ReauthenticateByPasskey onReauthenticated={() => onClose(true)} />
      {factor.isPending ? (
        <Loading label={t('Loading')} lines={2} />
      ) : (
        <ReauthenticationForm asksForCode={factor.data?.on === true} onClose={onClose} />
      )}
    </Dialog>
  )
}

type ReauthenticationFormProps = { asksForCode: boolean; onClose: (hasReauthenticated: boolean) => void }

function ReauthenticationForm({ asksForCode, onClose }: ReauthenticationFormProps) {
  const { run, pending, error } = useMutation(reauthenticate, {
    success: false,
    onSuccess: () => onClose(true),
  })
  const asked = asksForCode ? fields : fields.slice(0, 1)
  return (
    <Form
      fields={fields}
      check={values =>
        missing(values, asked, asksForCode ? t('Password and code are required') : t('Password is required'))
      }
      onSubmit={({ password, code }) => run({ body: { password, ...(asksForCode ? { code } : {}) } })}
      pending={pending}
      error={error}
    >
      <Field name="password" label={t('Password')}>
        <PasswordInput autoComplete="current-password" autoFocus data-takes-focus />
      </Field>
      {asksForCode && <AnyCodeField />}
      <DialogFormEnd onCancel={() => onClose(false)}>{t('Continue')}</DialogFormEnd>
    </Form>
  )
}
