import { useState } from 'react'
import { AppCodeField, RecoveryCodeField } from '#web/components/code-fields.tsx'
import { Button } from '#web/ui/button.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { AccountHead } from './layout.tsx'

const fields = ['code'] as const
const required = 'The code is required'

type CodeStepProps = {
  onCode: (code: string) => unknown
  /** Another kind of code is asked for: what was said of the one before is over. */
  onChange: () => void
  onBack: () => void
  pending: boolean
  error: { message?: string; fields?: Record<string, string> | undefined } | undefined
}

/** The second step of a login by password, where the account has a second factor. */
export function CodeStep({ onCode, onChange, onBack, pending, error }: CodeStepProps) {
  const [recovers, setRecovers] = useState(false)
  function change() {
    onChange()
    setRecovers(!recovers)
  }
  return (
    <>
      <AccountHead title="Enter your code">The password was right. One step is left.</AccountHead>
      <Form
        // Another field, without what was typed into the one before.
        key={String(recovers)}
        fields={fields}
        check={values => missing(values, fields, required, required)}
        onSubmit={({ code }) => onCode(code)}
        pending={pending}
        error={error}
      >
        {recovers ? <RecoveryCodeField /> : <AppCodeField />}
        <FormRefusal />
        <SubmitButton>Log in</SubmitButton>
        <div className="flex flex-wrap justify-between gap-x-6 gap-y-2">
          <Button tone="plain" size="sm" onClick={change}>
            {recovers ? 'Use the code of your app' : 'Use a recovery code'}
          </Button>
          <Button tone="plain" size="sm" onClick={onBack}>
            Back
          </Button>
        </div>
      </Form>
    </>
  )
}
