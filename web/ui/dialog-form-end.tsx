import type { ReactNode } from 'react'
import { t } from '#shared/i18n/t.ts'
import { Button } from './button.tsx'
import { DialogActions } from './dialog.tsx'
import { FormRefusal, SubmitButton } from './form.tsx'

type DialogFormEndProps = {
  /** Label of the submit button: 'Add address'. */
  children: ReactNode
  onCancel: () => void
  /** Label of the other button; for an action that is itself called Cancel. */
  dismiss?: string | undefined
  tone?: 'primary' | 'danger' | undefined
}

/** End of a dialog's form: the refusal, a button to leave and the submit button. */
export function DialogFormEnd({ children, onCancel, dismiss = t('Cancel'), tone }: DialogFormEndProps) {
  return (
    <>
      <FormRefusal />
      <DialogActions>
        <Button tone="quiet" onClick={onCancel}>
          {dismiss}
        </Button>
        <SubmitButton tone={tone}>{children}</SubmitButton>
      </DialogActions>
    </>
  )
}
