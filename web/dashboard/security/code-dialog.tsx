import type { ReactNode } from 'react'
import type { endSecondFactor, renewRecoveryCodes } from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import type { Mutation } from '#web/api/mutation.ts'
import { AnyCodeField } from '#web/components/code-fields.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { Form, missing } from '#web/ui/form.tsx'

const fields = ['code'] as const
const required = () => t('The code is required')

type CodeDialogProps = {
  title: string
  /** What will happen. */
  children: ReactNode
  confirm: string
  tone?: 'primary' | 'danger'
  mutation: Pick<Mutation<typeof endSecondFactor | typeof renewRecoveryCodes>, 'run' | 'pending' | 'error'>
  onClose: () => void
  focusAfter?: () => HTMLElement | undefined
}

/** A two-factor change, confirmed by a code. */
export function CodeDialog({
  title,
  children,
  confirm,
  tone,
  mutation,
  onClose,
  focusAfter,
}: CodeDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title} description={children} focusAfter={focusAfter}>
      <Form
        fields={fields}
        check={values => missing(values, fields, required(), required())}
        onSubmit={({ code }) => mutation.run({ body: { code } })}
        pending={mutation.pending}
        error={mutation.error}
      >
        <AnyCodeField autoFocus />
        <DialogFormEnd onCancel={onClose} tone={tone}>
          {confirm}
        </DialogFormEnd>
      </Form>
    </Dialog>
  )
}
