import { ownPasswordFault, type PasswordOwner } from '#shared/account-rules.ts'
import { minimumPasswordLength } from '#shared/limits.ts'
import { type Fault, faultAt, mergeFaults } from '#web/ui/form.tsx'

const mismatch = 'Password must be the same as its confirmation'
const tooShort = 'Password must be at least six characters long'

/**
 * What the specification says about a new password, and that it gives its owner away, where he is known.
 * A field that is still empty is told as that, by the form.
 */
export function newPasswordFault(
  { password, confirmPassword }: { password: string; confirmPassword: string },
  owner?: PasswordOwner,
): Fault | undefined {
  if (password.trim() === '') return undefined
  const told = owner && ownPasswordFault(password, owner)
  return mergeFaults(
    confirmPassword.trim() !== '' && confirmPassword !== password
      ? faultAt('confirmPassword', mismatch)
      : undefined,
    password.length < minimumPasswordLength ? faultAt('password', tooShort) : undefined,
    told === undefined ? undefined : faultAt('password', told),
  )
}
