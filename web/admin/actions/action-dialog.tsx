import { type ReactNode, useRef, useState } from 'react'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { useAct } from '#web/api/act.ts'
import { Usd } from '#web/components/amounts.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import { type Fault, Form } from '#web/ui/form.tsx'
import { type Shown, showResult } from './latest.ts'
import { type Reader, ReasonField, withReason } from './reason-field.tsx'

export type Entry = readonly [name: string, value: ReactNode]

export type ActionDialogProps<C extends CallDefinition, Name extends string> = {
  call: C
  title: string
  /** What happens then, in a sentence. */
  description: ReactNode
  /** Whose, how much, from where to where. */
  entries: readonly Entry[]
  /** The act in words, on its button: 'Approve deposit'. */
  confirm: string
  tone?: 'primary' | 'danger'
  /** The names of the fields among the children. */
  fields?: readonly Name[]
  check?: (values: Record<Name, string>) => Fault | undefined
  input: (values: Record<Name, string>) => CallInput<C>
  /** Asks for a reason as well, which may be left out, and says who reads it. */
  optionalReason?: Reader
  /** The success toast; default: the contract's message. */
  success?: string
  /** The toast while the action runs, if that can take long. */
  loading?: string
  /** Where what it has brought about is shown. */
  shown?: Shown | ((data: CallData<C>) => Shown)
  onClose: () => void
  /** Where the focus goes once it has succeeded, where its button is outside of what shows the result. */
  focusTo?: () => HTMLElement | null
  /** In place of its form, while what it asks is not known. */
  waiting?: ReactNode
  /** False while what it would do is being worked out: it is not confirmed unseen. */
  ready?: boolean
  /** Many fields. */
  wide?: boolean
  children?: ReactNode
}

/** The figure that an act moves, among the entries of its dialog. */
export function Moved({ value }: { value: number }) {
  return (
    <strong className="font-semibold text-lg">
      <Usd value={value} />
    </strong>
  )
}

const noFields: readonly never[] = []

/**
 * Asks before an act of the operator (N-12): the figures that it moves, the fields that it needs. It goes when the act
 * has succeeded; a refusal leaves it open, so that a try whose answer was lost is made again under its own key (B-06).
 */
export function ActionDialog<C extends CallDefinition, Name extends string = never>(
  props: ActionDialogProps<C, Name>,
) {
  const { call, title, description, entries, confirm, tone, fields = noFields, check, input } = props
  const { optionalReason, success, loading, shown, waiting, ready = true, wide, focusTo, onClose } = props
  const [home] = useState(focusHomeHere)
  const done = useRef(false)
  const { run, pending, error } = useAct(call, {
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
        >
          {entries.length > 0 && <DescriptionList entries={entries} />}
          {props.children}
          {optionalReason !== undefined && <ReasonField reader={optionalReason} optional />}
          <DialogFormEnd onCancel={onClose} tone={tone}>
            {confirm}
          </DialogFormEnd>
        </Form>
      )}
    </Dialog>
  )
}
