import { t } from '#shared/i18n/t.ts'
import { staffPasswordLength } from './limits.ts'

/** Account rules checked by both form and server. */

export const phonePattern = /^\+?[\d\s().-]{5,32}$/

export function staffPasswordTooShort(): string {
  return t('Staff need a password of at least {minimum} characters', { minimum: staffPasswordLength })
}

/** The password's owner. */
export type PasswordOwner = { name: string; email: string }

/** Shorter names occur in many words by accident, so a password may contain them. */
const fewestTelling = 4

/** As guessers try it: without case, spaces and punctuation. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Error if the password is or contains its owner's name or email address (NIST SP 800-63B 5.1.1.2). */
export function ownPasswordError(password: string, { name, email }: PasswordOwner): string | undefined {
  const typed = folded(password)
  if (typed === '') return undefined
  if (tells(typed, folded(email)) || typed === folded(email.split('@')[0]!)) {
    return t('The password contains your email address. Choose one that nobody can guess from it.')
  }
  if (tells(typed, folded(name)))
    return t('The password contains your name. Choose one that nobody can guess from it.')
  return undefined
}

function tells(typed: string, known: string): boolean {
  return typed === known || (known.length >= fewestTelling && typed.includes(known))
}
