import { type ReactNode, useRef, useState } from 'react'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { useAct } from '#web/api/act.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import { type Fault, Form, SubmitButton } from '#web/ui/form.tsx'
import { tellLastAct } from './last-act.ts'

export type Entry = readonly [name: string, value: ReactNode]

type ActDialogProps<C extends CallDefinition, Name extends string> = {
  call: C
  title: string
  /** What happens then, in a sentence. */
  description: ReactNode
  /** Whose, how much, from where to where. */
  entries: readonly Entry[]
  /** The act in words, on its button: 'Approve deposit'. */
  confirm: string
  tone?: 'primary' | 'danger'
  /** The toast of success, where the contract's words say too little. */
  success?: string
  /** The names of the fields among the children. */
  fields?: readonly Name[]
  check?: (values: Record<Name, string>) => Fault | undefined
  input: (values: Record<Name, string>) => CallInput<C>
  /** Which record it is done to, and where that is shown with what it posted. */
  shown?: { of: string; to: string } | undefined
  onClose: () => void
  /** Where the focus goes once it has succeeded, where its button is outside of what shows the result. */
  focusTo?: () => HTMLElement | null
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
export function ActDialog<C extends CallDefinition, Name extends string = never>(
  props: ActDialogProps<C, Name>,
) {
  const { call, title, description, entries, confirm, tone, fields = noFields, check, input } = props
  const { success, shown, wide, focusTo, onClose } = props
  const [home] = useState(focusHomeHere)
  const done = useRef(false)
  const { run, pending, error } = useAct(call, {
    ...(success === undefined ? {} : { success }),
    onSuccess() {
      done.current = true
      if (shown) tellLastAct({ words: success ?? call.message, ...shown })
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
      <Form
        fields={fields}
        check={check}
        onSubmit={values => run(input(values))}
        pending={pending}
        error={error}
      >
        {entries.length > 0 && <DescriptionList entries={entries} />}
        {props.children}
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
