import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  use,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { FieldErrors } from '#shared/errors.ts'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import { FormErrors } from './field.tsx'
import { toast } from './toast.ts'

/** What is wrong with a form before it is sent: the toast's words, and the fields it is about. */
export type Fault = { message: string; fields: FieldErrors }

/** The words for every field that is empty, under one message for all. */
export function missing<Name extends string>(
  values: Record<Name, string>,
  names: readonly Name[],
  message: string,
  fieldWords = 'This field is required',
): Fault | undefined {
  const empty = names.filter(name => values[name].trim() === '')
  if (empty.length === 0) return undefined
  return { message, fields: Object.fromEntries(empty.map(name => [name, fieldWords])) }
}

export function faultAt(field: string, message: string): Fault {
  return { message, fields: { [field]: message } }
}

/** All that is wrong with a form, at once: the toast has the words of the first fault, and so has a field with several. */
export function mergeFaults(...faults: (Fault | undefined)[]): Fault | undefined {
  const found = faults.filter(fault => fault !== undefined)
  if (found.length === 0) return undefined
  return { message: found[0]!.message, fields: Object.assign({}, ...found.toReversed().map(f => f.fields)) }
}

const finishIt = 'Complete this field'

/** A day or a moment that is not typed to its end: to a script such a field is as empty as one that was left out. */
function unfinished(form: HTMLFormElement): Fault | undefined {
  const half = [...form.elements].filter(
    control => control instanceof HTMLInputElement && control.validity.badInput,
  )
  return mergeFaults(...half.map(control => faultAt((control as HTMLInputElement).name, finishIt)))
}

const FormPending = createContext(false)
const Refusal = createContext<string | undefined>(undefined)

/** Fields whose content nobody corrects, only types again. */
const retyped = /password|one-time-code/

type FormProps<Name extends string> = {
  /** The fields' names, in the order in which they stand. */
  fields: readonly Name[]
  /** Looks at the values before they are sent; a fault is told by a toast and at its fields. */
  check?: (values: Record<Name, string>) => Fault | undefined
  onSubmit: (values: Record<Name, string>) => unknown
  pending: boolean
  /** The server's refusal: its messages are shown at their fields, else in `<FormRefusal>`. */
  error?: { message?: string; fields?: FieldErrors | undefined } | undefined
  className?: string
  children: ReactNode
}

/**
 * A form of uncontrolled fields, read when it is sent: what was typed before the script ran is not lost, and a form
 * that was sent by then is sent as soon as it runs. The first faulty field gets the focus; an error goes as soon as its
 * field is edited.
 */
export function Form<Name extends string>(props: FormProps<Name>) {
  const { fields, check, onSubmit, pending, error, className, children } = props
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  // Only a refusal moves the focus: while a field is corrected it stays there.
  const refused = useRef(false)

  useEffect(() => {
    if (!error?.fields) return
    refused.current = true
    setErrors(error.fields)
  }, [error])

  useEffect(() => {
    if (!refused.current) return
    refused.current = false
    const first = fields.find(name => name in errors)
    const named = first ? form.current?.elements.namedItem(first) : undefined
    // Radio buttons share a name: the first of them stands for the group.
    const control = named instanceof RadioNodeList ? named[0] : named
    if (!(control instanceof HTMLElement)) return
    control.focus()
    if (control instanceof HTMLInputElement && retyped.test(control.autocomplete)) control.select()
  }, [errors, fields])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const values = Object.fromEntries(fields.map(name => [name, String(data.get(name) ?? '')]))
    const fault = mergeFaults(unfinished(event.currentTarget), check?.(values as Record<Name, string>))
    refused.current = fault !== undefined
    setErrors(fault?.fields ?? {})
    if (fault) return toast.error(fault.message)
    if (pending) return
    onSubmit(values as Record<Name, string>)
  }

  function edited(event: FormEvent<HTMLFormElement>) {
    const { name } = event.target as HTMLInputElement
    if (name in errors) setErrors(({ [name]: _, ...others }) => others)
  }

  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      // Outside of a <dialog> the browser sends this nowhere: without a script no password ends up in an address.
      method="dialog"
      onInput={edited}
      className={cx('grid gap-5', className)}
    >
      <FormPending value={pending}>
        <Refusal value={fields.some(name => error?.fields?.[name]) ? undefined : error?.message}>
          <FormErrors value={errors}>{children}</FormErrors>
        </Refusal>
      </FormPending>
    </form>
  )
}

/** A refusal that is about no field of the form around it, for longer than its toast: until the next try. */
export function FormRefusal() {
  const words = use(Refusal)
  return words === undefined ? null : <p className="text-bad text-sm">{words}</p>
}

/** Sends the form around it; busy while that is under way. */
export function SubmitButton(props: ComponentProps<typeof Button>) {
  return <Button type="submit" busy={use(FormPending)} {...props} />
}
