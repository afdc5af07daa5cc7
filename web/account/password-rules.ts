import { ownPasswordError, type PasswordOwner } from '#shared/account-rules.ts'
import { t } from '#shared/i18n/t.ts'
import { minimumPasswordLength } from '#shared/limits.ts'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'

/** The rules for a new password, and against containing its owner's name or email. The form reports empty fields. */
export function newPasswordError(
  { password, confirmPassword }: { password: string; confirmPassword: string },
  owner?: PasswordOwner,
): ValidationError | undefined {
  if (password.trim() === '') return undefined
  const guessable = owner && ownPasswordError(password, owner)
  return mergeErrors(
    confirmPassword.trim() !== '' && confirmPassword !== password
      ? fieldError('confirmPassword', t('Password must be the same as its confirmation'))
      : undefined,
    password.length < minimumPasswordLength
      ? fieldError('password', t('Password must be at least six characters long'))
      : undefined,
    guessable === undefined ? undefined : fieldError('password', guessable),
  )
}
