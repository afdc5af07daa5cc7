import { giveProof } from '#shared/contract/accounts.ts'
import { proofMinutes } from '#shared/limits.ts'
import { useAct } from '#web/api/act.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'

const fields = ['password'] as const
const required = 'Password is required'

/** Who is signed in shows that it is still he. */
export default function ProofDialog({ onClose }: { onClose: (isProven: boolean) => void }) {
  const { run, pending, error } = useAct(giveProof, { success: false, onSuccess: () => onClose(true) })
  return (
    <Dialog
      open
      onClose={() => onClose(false)}
      title="Is it you?"
      description={`This can put your money or your account at risk, so we ask for your password. For ${proofMinutes} minutes we do not ask again.`}
    >
      <Form
        fields={fields}
        check={values => missing(values, fields, required, required)}
        onSubmit={({ password }) => run({ body: { password } })}
        pending={pending}
        error={error}
      >
        <Field name="password" label="Password">
          <PasswordInput autoComplete="current-password" autoFocus />
        </Field>
        <FormRefusal />
        <DialogActions>
          <Button tone="quiet" onClick={() => onClose(false)}>
            Cancel
          </Button>
          <SubmitButton>Continue</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
