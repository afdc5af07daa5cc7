import { minimumPasswordLength } from '#shared/limits.ts'
import type { Fault } from '#web/ui/form.tsx'

const mismatch = 'Password must be the same as its confirmation'
const tooShort = 'Password must be at least six characters long'

/** What the specification says about a new password. */
export function newPasswordFault(values: { password: string; confirmPassword: string }): Fault | undefined {
  if (values.password !== values.confirmPassword) {
    return { message: mismatch, fields: { confirmPassword: mismatch } }
  }
  return values.password.length < minimumPasswordLength
    ? { message: tooShort, fields: { password: tooShort } }
    : undefined
}
