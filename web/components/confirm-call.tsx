import { type ComponentProps, useRef } from 'react'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { type MutationOptions, useMutation } from '#web/api/mutation.ts'
import { ConfirmDialog } from '#web/ui/dialog.tsx'

type ConfirmCallProps<C extends CallDefinition> = Pick<
  ComponentProps<typeof ConfirmDialog>,
  'title' | 'children' | 'confirm' | 'dismiss' | 'tone' | 'onClose'
> &
  Pick<MutationOptions<C>, 'success'> & {
    call: C
    input: CallInput<C>
    /** Runs after success, before the dialog closes. */
    onDone?: () => void
    /** Receives the focus after success, if the dialog's button goes with it. */
    focusTo?: () => HTMLElement | null | undefined
  }

/** Asks for confirmation of one call and closes after it. A refusal is shown until the next try. */
export function ConfirmCall<C extends CallDefinition>(props: ConfirmCallProps<C>) {
  const { call, input, success, onDone, focusTo, onClose, ...dialog } = props
  const isDone = useRef(false)
  const { run, pending, error } = useMutation(call, {
    ...(success === undefined ? {} : { success }),
    onSuccess() {
      isDone.current = true
      onDone?.()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      {...dialog}
      open
      onClose={onClose}
      onConfirm={() => void run(input)}
      pending={pending}
      refusal={error?.message}
      focusAfter={() => (isDone.current && focusTo?.()) || undefined}
    />
  )
}
