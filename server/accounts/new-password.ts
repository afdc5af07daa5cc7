import type { Services } from '#server/context.ts'
import { latestFirm } from '#server/firm/queries.ts'
import { guessesFor } from '#server/platform/password-strength.ts'
import { isCommonPassword } from '#server/platform/passwords.ts'
import { ownPasswordError, type PasswordOwner, staffPasswordTooShort } from '#shared/account-rules.ts'
import type { UserType } from '#shared/contract/entities.ts'
import { invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { staffPasswordLength } from '#shared/limits.ts'

type Owner = PasswordOwner & { type: UserType }

/** Guesses that a password must withstand: for investors what six random characters do, since six are the minimum. */
const fewestGuesses: Record<UserType, number> = { investor: 10 ** 6, admin: 10 ** 10 }

/** Error of a new password that is common, made from words of its owner, or too short for staff. */
export function plainPasswordError(password: string, { name, email, type }: Owner): string | undefined {
  if (type === 'admin' && password.length < staffPasswordLength) return staffPasswordTooShort()
  if (isCommonPassword(password)) return t('This password is too common. Choose another one.')
  return ownPasswordError(password, { name, email })
}

/**
 * The same, and error of one that is easy to guess, also for who knows its owner and the site. Estimates take turns, so
 * check everything else first.
 * @throws AppError not_ready if too many estimates wait
 */
export async function newPasswordError(
  { db, config }: Pick<Services, 'db' | 'config'>,
  password: string,
  owner: Owner,
): Promise<string | undefined> {
  const plain = plainPasswordError(password, owner)
  if (plain !== undefined) return plain
  const firm = await latestFirm(db, config)
  const { productName = '', legalName = '' } = (firm?.profile ?? {}) as Record<string, string>
  const { name, email, type } = owner
  const words = [name, email, productName, legalName, new URL(config.publicUrl).hostname].flatMap(wordsOf)
  const guesses = await guessesFor(password, words)
  if (guesses >= fewestGuesses[type]) return undefined
  return t(
    'This password is easy to guess. Three or four unrelated words are hard to guess and easy to remember.',
  )
}

/** @throws AppError invalid_input with the error of `newPasswordError`; not_ready */
export async function requireGoodPassword(
  services: Pick<Services, 'db' | 'config'>,
  field: string,
  password: string,
  owner: Owner,
): Promise<void> {
  const error = await newPasswordError(services, password, owner)
  if (error !== undefined) throw invalidField(field, error)
}

/** The text and its words of three letters and more. */
function wordsOf(text: string): string[] {
  return [text, ...text.split(/[^\p{L}\p{N}]+/u)].filter(word => word.length >= 3)
}
