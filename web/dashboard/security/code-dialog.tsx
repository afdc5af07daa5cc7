import type { ReactNode } from 'react'
import type { endSecondFactor, renewRecoveryCodes } from '#shared/contract/second-factor.ts'
import type { Act } from '#web/api/act.ts'
import { AnyCodeField } from '#web/components/code-fields.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'

const fields = ['code'] as const
const required = 'The code is required'

type CodeDialogProps = {
  title: string
  /** What will happen. */
  children: ReactNode
  confirm: string
  tone?: 'primary' | 'danger'
  act: Pick<Act<typeof endSecondFactor | typeof renewRecoveryCodes>, 'run' | 'pending' | 'error'>
  onClose: () => void
  focusAfter?: () => HTMLElement | undefined
}

/** An act about the second factor, which a code of it confirms. */
export function CodeDialog({ title, children, confirm, tone, act, onClose, focusAfter }: CodeDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title} description={children} focusAfter={focusAfter}>
      <Form
        fields={fields}
        check={values => missing(values, fields, required, required)}
        onSubmit={({ code }) => act.run({ body: { code } })}
        pending={act.pending}
        error={act.error}
      >
        <AnyCodeField autoFocus />
        <FormRefusal />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton tone={tone}>{confirm}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
