import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog, type ActionDialogProps } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { mergeErrors, type ValidationError } from '#web/ui/form.tsx'

type ProposeDialogProps<C extends CallDefinition, Name extends string> = Pick<
  ActionDialogProps<C, Name | 'reason'>,
  'call' | 'title' | 'description' | 'linked' | 'ready' | 'wide' | 'onClose' | 'children'
> & {
  /** Names of the fields among the children; a reason is asked for besides. */
  fields: readonly Name[]
  check: (values: Record<Name | 'reason', string>) => ValidationError | undefined
  input: (values: Record<Name | 'reason', string>, reason: string) => CallInput<C>
}

/** Proposes what another admin must approve, with a reason. */
export function ProposeDialog<C extends CallDefinition, Name extends string>(
  props: ProposeDialogProps<C, Name>,
) {
  const { fields, check, input, children, ...rest } = props
  return (
    <ActionDialog<C, Name | 'reason'>
      {...rest}
      entries={[]}
      fields={[...fields, 'reason']}
      check={values => mergeErrors(check(values), reasonError(values))}
      confirm={t('Propose')}
      input={values => input(values, values.reason.trim())}
      // The new proposal shows there.
      focusTo={() => document.getElementById(proposalsAnchor)}
    >
      {children}
      <ReasonField />
    </ActionDialog>
  )
}
