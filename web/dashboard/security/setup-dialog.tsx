import { lazy, Suspense } from 'react'
import { confirmSecondFactor } from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { AppCodeField } from '#web/components/code-fields.tsx'
import { tr } from '#web/tr.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { Form, missing } from '#web/ui/form.tsx'

const QrCode = lazy(() => import('#web/components/qr-code.tsx'))

const fields = ['code'] as const
const required = () => t('The code is required')

type SetupProps = {
  secret: string
  uri: string
  onDone: (recoveryCodes: string[]) => void | Promise<void>
  onClose: () => void
}

/** The secret for the app and the first code, which turns it on. */
export function SetupDialog({ secret, uri, onDone, onClose }: SetupProps) {
  const { run, pending, error } = useMutation(confirmSecondFactor, {
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={tr('Set up <together>two-factor</together> authentication', {
        together: words => <span className="whitespace-nowrap">{words}</span>,
      })}
      description={t(
        'Scan this with an authenticator app, then enter the code it shows. Nothing changes until you do.',
      )}
    >
      <div className="grid gap-6">
        <div className="grid justify-items-center gap-3">
          <div className="size-48 overflow-hidden rounded-sm border border-rule bg-sunken">
            <Suspense fallback={<span className="sr-only">{t('Loading the QR code')}</span>}>
              <QrCode text={uri} label={t('QR code for your authenticator app')} />
            </Suspense>
          </div>
        </div>
        <div className="grid justify-items-start gap-2">
          <p className="text-ink-soft text-sm">{t('Or enter this key in the app:')}</p>
          <p
            dir="ltr"
            className="wrap-anywhere w-full select-all rounded-sm bg-sunken px-3 py-2.5 font-medium text-sm tabular-nums"
          >
            {secret}
          </p>
          <CopyButton text={secret.replaceAll(' ', '')} label={t('Copy key')} />
        </div>
        <Form
          fields={fields}
          check={values => missing(values, fields, required(), required())}
          onSubmit={({ code }) => run({ body: { code } })}
          pending={pending}
          error={error}
        >
          <AppCodeField
            hint={t('The six digits your app shows. Turning this on logs you out everywhere else.')}
          />
          <DialogFormEnd onCancel={onClose}>{t('Turn on')}</DialogFormEnd>
        </Form>
      </div>
    </Dialog>
  )
}
