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
import { t } from '#shared/i18n/t.ts'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import { FormErrors } from './field.tsx'
import { toast } from './toast.ts'

/** Form errors found before sending: the toast's message and the fields. */
export type ValidationError = { message: string; fields: FieldErrors }

/** Errors for empty fields, with one message. */
export function missing<Name extends string>(
  values: Record<Name, string>,
  names: readonly Name[],
  message: string,
  fieldWords = t('This field is required'),
): ValidationError | undefined {
  const empty = names.filter(name => values[name].trim() === '')
  if (empty.length === 0) return undefined
  return { message, fields: Object.fromEntries(empty.map(name => [name, fieldWords])) }
}

export function fieldError(field: string, message: string): ValidationError {
  return { message, fields: { [field]: message } }
}

/** Merges errors; the first message wins, also per field. */
export function mergeErrors(...errors: (ValidationError | undefined)[]): ValidationError | undefined {
  const found = errors.filter(error => error !== undefined)
  if (found.length === 0) return undefined
  return { message: found[0]!.message, fields: Object.assign({}, ...found.toReversed().map(f => f.fields)) }
}

/** An unfinished date, which scripts see as empty. */
function unfinished(form: HTMLFormElement): ValidationError | undefined {
  const half = [...form.elements].filter(
    control => control instanceof HTMLInputElement && control.validity.badInput,
  )
  return mergeErrors(
    ...half.map(control => fieldError((control as HTMLInputElement).name, t('Complete this field'))),
  )
}

const FormPending = createContext(false)
const Refusal = createContext<string | undefined>(undefined)

/** Fields that people retype instead of correcting. */
const retyped = /password|one-time-code/

type FormProps<Name extends string> = {
  /** Field names in order. */
  fields: readonly Name[]
  /** Checks the values before sending; errors show as a toast and at the fields. */
  check?: (values: Record<Name, string>) => ValidationError | undefined
  onSubmit: (values: Record<Name, string>) => unknown
  pending: boolean
  /** The server's refusal, shown at its fields or in `<FormRefusal>`. */
  error?: { message?: string; fields?: FieldErrors | undefined } | undefined
  /** Fields that are judged together: editing one clears the errors of all. */
  linked?: readonly string[]
  className?: string
  onInput?: (event: FormEvent) => void
  children: ReactNode
}

/**
 * A form of uncontrolled fields, so that input from before hydration is kept and an early submit is sent later.
 * Focuses the first invalid field; editing a field clears its error.
 */
export function Form<Name extends string>(props: FormProps<Name>) {
  const { fields, check, onSubmit, pending, error, linked, className, onInput, children } = props
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  // Only a refusal moves the focus, not corrections.
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
    // For radio buttons, the first of the group.
    const control = named instanceof RadioNodeList ? named[0] : named
    if (!(control instanceof HTMLElement)) return
    control.focus()
    if (control instanceof HTMLInputElement && retyped.test(control.autocomplete)) control.select()
  }, [errors, fields])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const values = Object.fromEntries(fields.map(name => [name, String(data.get(name) ?? '')]))
    const invalid = mergeErrors(unfinished(event.currentTarget), check?.(values as Record<Name, string>))
    refused.current = invalid !== undefined
    setErrors(invalid?.fields ?? {})
    toast.beginAttempt()
    if (invalid) return toast.error(invalid.message)
    if (pending) return
    onSubmit(values as Record<Name, string>)
  }

  function edited(event: FormEvent<HTMLFormElement>) {
    onInput?.(event)
    const { name } = event.target as HTMLInputElement
    const cleared: readonly string[] = linked?.includes(name) ? linked : [name]
    if (cleared.every(one => !(one in errors))) return
    setErrors(Object.fromEntries(Object.entries(errors).filter(([of]) => !cleared.includes(of))))
  }

  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      // Without a script, the browser submits method=dialog nowhere, so no password ends up in an address.
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

/** A refusal without a field, shown until the next try. */
export function FormRefusal() {
  const words = use(Refusal)
  return words === undefined ? null : <p className="text-bad text-sm">{words}</p>
}

/** Submits the form; busy while sending. */
export function SubmitButton(props: ComponentProps<typeof Button>) {
  return <Button type="submit" busy={use(FormPending)} {...props} />
}
