import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  use,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
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

const FormPending = createContext(false)

/** False on the server and until the page's script runs: what needs the script waits for it. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
}

type FormProps<Name extends string> = {
  /** The fields' names, in the order in which they stand. */
  fields: readonly Name[]
  /** Looks at the values before they are sent; a fault is told by a toast and at its fields. */
  check?: (values: Record<Name, string>) => Fault | undefined
  onSubmit: (values: Record<Name, string>) => unknown
  pending: boolean
  /** The server's refusal: its messages are shown at their fields. */
  error?: { fields?: FieldErrors | undefined } | undefined
  className?: string
  children: ReactNode
}

/**
 * A form of uncontrolled fields, read when it is sent: what was typed before the script ran is not lost.
 * The first faulty field gets the focus; an error goes as soon as its field is edited.
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
    if (control instanceof HTMLElement) control.focus()
  }, [errors, fields])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const values = Object.fromEntries(fields.map(name => [name, String(data.get(name) ?? '')]))
    const fault = check?.(values as Record<Name, string>)
    refused.current = fault !== undefined
    setErrors(fault?.fields ?? {})
    if (fault) toast.error(fault.message)
    else if (!pending) onSubmit(values as Record<Name, string>)
  }

  function edited(event: FormEvent<HTMLFormElement>) {
    const { name } = event.target as HTMLInputElement
    if (name in errors) setErrors(({ [name]: _, ...others }) => others)
  }

  return (
    // Method post: should the script fail, nothing that was typed ends up in an address.
    <form
      ref={form}
      method="post"
      noValidate
      onSubmit={submit}
      onInput={edited}
      className={cx('grid gap-5', className)}
    >
      <FormPending value={pending}>
        <FormErrors value={errors}>{children}</FormErrors>
      </FormPending>
    </form>
  )
}

/** Sends the form around it; busy while that is under way. */
export function SubmitButton({ disabled, ...rest }: ComponentProps<typeof Button>) {
  const ready = useHydrated()
  return <Button type="submit" busy={use(FormPending)} disabled={disabled || !ready} {...rest} />
}
