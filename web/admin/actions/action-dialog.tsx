import { type ReactNode, useRef, useState } from 'react'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Usd } from '#web/components/amounts.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import { Form, type ValidationError } from '#web/ui/form.tsx'
import { type Shown, showResult } from './latest.ts'
import { type Reader, ReasonField, withReason } from './reason-field.tsx'

export type Entry = readonly [name: string, value: ReactNode]

export type ActionDialogProps<C extends CallDefinition, Name extends string> = {
  call: C
  title: ReactNode
  /** What will happen, in a sentence. */
  description: ReactNode
  /** The record's owner, amount and accounts. */
  entries: readonly Entry[]
  /** Label of the submit button: 'Approve deposit'. */
  confirm: string
  /** Label of the other button; for an action that is itself called Cancel. */
  dismiss?: string
  tone?: 'primary' | 'danger'
  /** Names of the fields among the children. */
  fields?: readonly Name[]
  check?: (values: Record<Name, string>) => ValidationError | undefined
  /** Fields that are judged together. */
  linked?: readonly Name[] | undefined
  input: (values: Record<Name, string>) => CallInput<C>
  /** Asks for an optional reason, for this reader. */
  optionalReason?: Reader
  /** The success toast; default: the contract's message. */
  success?: string
  /** The toast while the action runs, if that can take long. */
  loading?: string
  /** Where the result can be seen. */
  shown?: Shown | ((data: CallData<C>) => Shown)
  onClose: () => void
  /** Receives the focus after success, if the button is outside the part that shows the result. */
  focusTo?: () => HTMLElement | null
  /** Replaces the form while its data loads. */
  waiting?: ReactNode
  /** False while a preview loads: nothing is confirmed unseen. */
  ready?: boolean
  wide?: boolean
  children?: ReactNode
}

/** The amount that an action moves. */
export function Moved({ value }: { value: number }) {
  return (
    <strong className="font-semibold text-lg">
      <Usd value={value} />
    </strong>
  )
}

const noFields: readonly never[] = []

/**
 * Confirms an action of staff (N-12) with its amounts and fields. Closes on success; a refusal keeps it open, so that
 * a retry keeps its idempotency key (B-06).
 */
export function ActionDialog<C extends CallDefinition, Name extends string = never>(
  props: ActionDialogProps<C, Name>,
) {
  const { call, title, description, entries, confirm, tone, fields = noFields, check, input } = props
  const {
    linked,
    optionalReason,
    success,
    loading,
    shown,
    dismiss,
    waiting,
    ready = true,
    wide,
    focusTo,
    onClose,
  } = props
  const [home] = useState(focusHomeHere)
  const done = useRef(false)
  const { run, pending, error } = useMutation(call, {
    ...(success === undefined ? {} : { success }),
    ...(loading === undefined ? {} : { loading }),
    onSuccess(data, message) {
      done.current = true
      const place = typeof shown === 'function' ? shown(data) : shown
      if (place) showResult({ words: message, ...place })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      wide={wide}
      focusAfter={() => (done.current ? (focusTo?.() ?? home) : undefined)}
    >
      {waiting ?? (
        <Form<Name | 'reason'>
          fields={optionalReason === undefined ? fields : [...fields, 'reason']}
          check={check}
          onSubmit={values =>
            run(optionalReason === undefined ? input(values) : withReason(input(values), values.reason))
          }
          pending={pending || !ready}
          error={error}
          {...(linked && { linked })}
        >
          {entries.length > 0 && <DescriptionList entries={entries} />}
          {props.children}
          {optionalReason !== undefined && <ReasonField reader={optionalReason} optional />}
          <DialogFormEnd onCancel={onClose} dismiss={dismiss} tone={tone}>
            {confirm}
          </DialogFormEnd>
        </Form>
      )}
    </Dialog>
  )
}
