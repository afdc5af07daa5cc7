/** What both sides check in the fields of an account: the form at once, the server for good. */

export const phonePattern = /^\+?[\d\s().-]{5,32}$/

/** Whose password it is. */
export type PasswordOwner = { name: string; email: string }

/** Fewer letters of a name than this are in many words by accident: a password may have them in it. */
const fewestTelling = 4

/** As guessers try it: without case, spaces and punctuation. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * Why a password is guessed by everybody who knows its owner: it is, or contains, his name or e-mail address
 * (NIST SP 800-63B 5.1.1.2). Undefined where it is not.
 */
export function ownPasswordFault(password: string, { name, email }: PasswordOwner): string | undefined {
  const typed = folded(password)
  if (typed === '') return undefined
  if (tells(typed, folded(email)) || typed === folded(email.split('@')[0]!)) {
    return 'The password contains your email address. Choose one that nobody can guess from it.'
  }
  if (tells(typed, folded(name)))
    return 'The password contains your name. Choose one that nobody can guess from it.'
  return undefined
}

function tells(typed: string, known: string): boolean {
  return typed === known || (known.length >= fewestTelling && typed.includes(known))
}
