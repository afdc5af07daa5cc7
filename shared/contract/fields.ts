import { z } from 'zod'
import { maxUsdCents, parseUsd, tooLarge, usdFromJson } from '#shared/money.ts'

/** The field types that several calls share. Every one has a limit and a message that says what to do. */

// Control characters have no place in a name or an address, and PostgreSQL refuses NUL in text.
const noControl = /^[^\p{Cc}]*$/u
const noNul = /^[^\0]*$/

/** One line of text between 1 and `max` characters; the messages lead with the field's label. */
export function textLine(label: string, max: number) {
  return z
    .string({ error: `${label} is required` })
    .trim()
    .min(1, `${label} is required`)
    .max(max, `${label} can have at most ${max} characters`)
    .regex(noControl, `${label} has characters that cannot be used`)
    .refine(text => text.isWellFormed(), `${label} has characters that cannot be used`)
}

/** Text of several lines between 1 and `max` characters. */
export function textBlock(label: string, max: number) {
  return z
    .string({ error: `${label} is required` })
    .trim()
    .min(1, `${label} is required`)
    .max(max, `${label} can have at most ${max} characters`)
    .regex(noNul, `${label} has characters that cannot be used`)
    .refine(text => text.isWellFormed(), `${label} has characters that cannot be used`)
}

/** An id that a caller sends. */
export const id = z.uuid('This id is not valid')
export const idParams = z.object({ id })

export const emailAddress = z
  .string({ error: 'Email is required' })
  .trim()
  .toLowerCase()
  .min(1, 'Email is required')
  .max(254, 'Email can have at most 254 characters')
  .pipe(z.email('Enter a valid email address'))

/**
 * An amount in USD as a JSON number: positive, at most two decimals. `usdFromJson` makes cents of it. The messages lead
 * with the field's label.
 */
export function usdNumber(label: string) {
  return z
    .number({ error: `${label} must be a number of dollars, such as 1000.50` })
    .gt(0, `${label} must be more than 0`)
    .max(Number(maxUsdCents) / 100, tooLarge(label))
    .refine(value => usdFromJson(value) !== undefined, `${label} can have at most two decimals`)
}
export const usdAmount = usdNumber('Amount')

/** An amount as text, where an address carries it: plain digits, no commas. `parseUsd` makes cents of it. */
export const usdAmountText = z
  .string({ error: 'Amount is required' })
  .regex(/^\d+(\.\d{1,2})?$/, 'Amount must be a number of dollars, such as 1000.50')
  .refine(text => /[1-9]/.test(text), 'Amount must be more than 0')
  .refine(text => (parseUsd(text) ?? maxUsdCents + 1n) <= maxUsdCents, tooLarge())

/** What `deposit.quote` answered, sent back as it is. */
export const quoteToken = z.string().min(1, 'This quote is not valid').max(1000, 'This quote is not valid')

/** A day of the calendar, YYYY-MM-DD. */
export const day = z.iso
  .date('Enter the date as YYYY-MM-DD')
  .refine(text => text >= '2000-01-01' && text < '2200-01-01', 'Enter a date from 2000 on')

/** An IANA name, such as 'Australia/Sydney'. */
export const timeZone = z
  .string()
  .max(64, 'This time zone is not known')
  .refine(isTimeZone, 'This time zone is not known')

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** A positive amount of a coin as decimal text, such as 0.0125; how many decimals it may have is the coin's matter. */
export function coinAmountText(label: string) {
  return z
    .string({ error: `${label} must be a text such as 0.0125` })
    .regex(/^\d{1,12}(\.\d{1,9})?$/, `${label} must be a number such as 0.0125`)
    .refine(text => /[1-9]/.test(text), `${label} must be more than 0`)
}

/** A moment in ISO 8601, in UTC. */
export function moment(label: string) {
  return z.iso.datetime(`${label} must be a moment such as 2026-01-31T12:00:00.000Z`)
}

/** The id of a record in an answer (D8). */
export const recordId = z.uuidv7()
/** The id of what the database numbers in the order in which it happened; no call takes one (decision 62). */
export const lineNumber = z.string().regex(/^[1-9]\d{0,18}$/)
/** A USD amount in an answer: two decimals at most, exact. */
export const usd = z.number()
/** ISO 8601 in UTC. */
export const timestamp = z.string()
/** Decimal text of a coin amount. */
export const cryptoText = z.string()

export const reason = textLine('Reason', 500)
export const reasonBody = z.object({ reason })
/** Of an act that may be done without saying why. The server logs the reason with it (N-12). */
export const optionalReasonBody = z.object({ reason: reason.optional() })
/** The answer of a call that has nothing to tell. */
export const nothing = z.object({})
