import { ownPasswordFault, type PasswordOwner } from '#shared/account-rules.ts'
import { minimumPasswordLength } from '#shared/limits.ts'
import { type Fault, faultAt, mergeFaults } from '#web/ui/form.tsx'

const mismatch = 'Password must be the same as its confirmation'
const tooShort = 'Password must be at least six characters long'

/** The rules for a new password, and against containing its owner's name or email. The form reports empty fields. */
export function newPasswordFault(
  { password, confirmPassword }: { password: string; confirmPassword: string },
  owner?: PasswordOwner,
): Fault | undefined {
  if (password.trim() === '') return undefined
  const guessable = owner && ownPasswordFault(password, owner)
  return mergeFaults(
    confirmPassword.trim() !== '' && confirmPassword !== password
      ? faultAt('confirmPassword', mismatch)
      : undefined,
    password.length < minimumPasswordLength ? faultAt('password', tooShort) : undefined,
    guessable === undefined ? undefined : faultAt('password', guessable),
  )
}
