import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { DialogActions } from './dialog.tsx'
import { FormRefusal, SubmitButton } from './form.tsx'

type DialogFormEndProps = {
  /** The act in words: 'Add address'. */
  children: ReactNode
  onCancel: () => void
  tone?: 'primary' | 'danger' | undefined
}

/** The end of a form that is a dialog: what was refused, the way out, and the act. */
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
