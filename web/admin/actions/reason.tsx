import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { ActionDialog, type ActionDialogProps } from './action-dialog.tsx'
import { type Reader, ReasonField, reasonError, reasonFields } from './reason-field.tsx'

type ReasonDialogProps<C extends CallDefinition> = Omit<
  ActionDialogProps<C, never>,
  'fields' | 'check' | 'input' | 'optionalReason'
> & {
  reader: Reader
  input: (reason: string) => CallInput<C>
}

/** An action that requires a reason: declining (D1.5), freezing, ending, retiring. */
export function ReasonDialog<C extends CallDefinition>({
  reader,
  input,
  children,
  ...dialog
}: ReasonDialogProps<C>) {
  return (
    <ActionDialog
      {...dialog}
      fields={reasonFields}
      check={values => reasonError(values, reader)}
      input={({ reason }) => input(reason.trim())}
    >
      {children}
      <ReasonField reader={reader} autoFocus />
    </ActionDialog>
  )
}
