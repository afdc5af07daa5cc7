import { useLayoutEffect, useRef } from 'react'
import { t } from '#shared/i18n/t.ts'
import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'

/** Carried from one account page to the next, in memory only. */
let left = { email: '', focused: false }

/** Prefills the next account page with this address. */
export function carryEmail(email: string) {
  left = { email, focused: false }
}

/** The next email field takes the focus. */
export function focusEmail() {
  left = { ...left, focused: true }
}

/** The email field of the account pages. It keeps its value from page to page, including input while the next one loads. */
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
    <Field name="email" label={t('Email')}>
      <Input ref={input} type="email" autoComplete="username" dir="ltr" className="rtl:text-end" />
    </Field>
  )
}
