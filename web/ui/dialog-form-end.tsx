import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { DialogActions } from './dialog.tsx'
import { FormRefusal, SubmitButton } from './form.tsx'

type DialogFormEndProps = {
  /** Label of the submit button: 'Add address'. */
  children: ReactNode
  onCancel: () => void
  tone?: 'primary' | 'danger' | undefined
}

/** End of a dialog's form: the refusal, Cancel and the submit button. */
export function DialogFormEnd({ children, onCancel, tone }: DialogFormEndProps) {
  return (
    <>
      <FormRefusal />
      <DialogActions>
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton tone={tone}>{children}</SubmitButton>
      </DialogActions>
    </>
  )
}
