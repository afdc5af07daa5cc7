import { useLayoutEffect, useRef } from 'react'
import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'

/** What the page before leaves to the next one. In memory only: a new document knows nothing of it. */
let left = { email: '', focused: false }

/** The next of these pages starts with this address. */
export function carryEmail(email: string) {
  left = { email, focused: false }
}

/**
 * The address of an account. It goes along from page to page, with what is typed while the next page is on its way:
 * until that is there, this one stays under the visitor's hands.
 */
export function EmailField() {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const field = input.current!
    if (field.value === '') field.value = left.email
    if (left.focused) field.focus()
    return () => {
      left = { email: field.value, focused: document.activeElement === field }
    }
  }, [])
  return (
    <Field name="email" label="Email">
      <Input ref={input} type="email" autoComplete="username" />
    </Field>
  )
}
