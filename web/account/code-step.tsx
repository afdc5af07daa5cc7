import { useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { AppCodeField, RecoveryCodeField } from '#web/components/code-fields.tsx'
import { Button } from '#web/ui/button.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { AccountHead } from './layout.tsx'

const fields = ['code'] as const

type CodeStepProps = {
  onCode: (code: string) => unknown
  /** The other kind of code is asked for: clears the previous error. */
  onChange: () => void
  onBack: () => void
  pending: boolean
  error: { message?: string; fields?: Record<string, string> | undefined } | undefined
}

/** The second step of a password login with two-factor authentication. */
export function CodeStep({ onCode, onChange, onBack, pending, error }: CodeStepProps) {
  const [recovers, setRecovers] = useState(false)
  function change() {
    onChange()
    setRecovers(!recovers)
  }
  return (
    <>
      <AccountHead title={t('Enter your code')}>
        {t('Password accepted. Enter your code to finish logging in.')}
      </AccountHead>
      <Form
        // A new field without the other one's input.
        key={String(recovers)}
        fields={fields}
        check={values => missing(values, fields, t('Code is required'), t('Code is required'))}
        onSubmit={({ code }) => onCode(code)}
        pending={pending}
        error={error}
      >
        {recovers ? <RecoveryCodeField /> : <AppCodeField />}
        <FormRefusal />
        <SubmitButton>{t('Log in')}</SubmitButton>
        <div className="flex flex-wrap justify-between gap-x-6 gap-y-2">
          <Button tone="plain" size="sm" onClick={change}>
            {recovers ? t('Use your authenticator app') : t('Use a recovery code')}
          </Button>
          <Button tone="plain" size="sm" onClick={onBack}>
            {t('Back')}
          </Button>
        </div>
      </Form>
    </>
  )
}
