import { z } from 'zod'
import { mostNameWords } from '#shared/limits.ts'
import { maxUsdCents, parseUsd, tooLarge, usdFromJson } from '#shared/money.ts'

/** Shared field types, each with a limit and a message that says what to do. */

// Names and addresses have no control characters, and PostgreSQL refuses NUL.
const noControl = /^[^\p{Cc}]*$/u
const noNul = /^[^\0]*$/

/** One line of 1 to `max` characters; messages start with the label. */
export function textLine(label: string, max: number) {
  return z
    .string({ error: `${label} is required` })
    .trim()
    .min(1, `${label} is required`)
    .max(max, `${label} can have at most ${max} characters`)
    .regex(noControl, `${label} has characters that cannot be used`)
    .refine(text => text.isWellFormed(), `${label} has characters that cannot be used`)
}

const nameWords = /[\p{Script=Han}\p{Script=Hangul}]|[^\s\p{P}\p{Script=Han}\p{Script=Hangul}]+/gu

/** A person's name. More words would hide it from the comparison with sanctions lists; each Chinese or Korean sign is one. */
export const personName = textLine('Name', 120).refine(
  name => (name.match(nameWords)?.length ?? 0) <= mostNameWords,
  `Name can have at most ${mostNameWords} words`,
)

/** Several lines of 1 to `max` characters. */
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
export const id = z.uuid('This id is not valid').toLowerCase()
export const idParams = z.object({ id })

export const emailAddress = z
  .string({ error: 'Email is required' })
  .trim()
  .toLowerCase()
  .min(1, 'Email is required')
  .max(254, 'Email can have at most 254 characters')
  .pipe(z.email('Enter a valid email address'))

/**
 * A positive USD amount as a JSON number with at most two decimals. `usdFromJson` converts it to cents.
 * @param orNone true: 0 is allowed too
 */
export function usdNumber(label: string, { orNone = false } = {}) {
  const number = z.number({ error: `${label} must be a number of dollars, such as 1000.50` })
  const atLeast = orNone
    ? number.min(0, `${label} cannot be negative`)
    : number.gt(0, `${label} must be more than 0`)
  return atLeast
    .max(Number(maxUsdCents) / 100, tooLarge(label))
    .refine(value => usdFromJson(value) !== undefined, `${label} can have at most two decimals`)
}
export const usdAmount = usdNumber('Amount')

const noVersion = 'Send the version of the plan that was shown'
/** The largest integer of the column. */
const mostVersions = 2_147_483_647
/** Also as text, in an address. */
export const planVersion = z.coerce
  .number(noVersion)
  .int(noVersion)
  .min(1, noVersion)
  .max(mostVersions, noVersion)

/** A USD amount in a query: plain digits without commas. `parseUsd` converts it to cents. */
export const usdAmountText = z
  .string({ error: 'Amount is required' })
  .regex(/^\d+(\.\d{1,2})?$/, 'Amount must be a number of dollars, such as 1000.50')
  .refine(text => /[1-9]/.test(text), 'Amount must be more than 0')
  .refine(text => (parseUsd(text) ?? maxUsdCents + 1n) <= maxUsdCents, tooLarge())

/** The answer of `deposit.quote`, returned unchanged. */
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

/** A positive coin amount as decimal text, such as 0.0125; the coin limits its decimals. */
export function coinAmountText(label: string) {
  return z
    .string({ error: `${label} must be a text such as 0.0125` })
    .regex(/^\d{1,12}(\.\d{1,9})?$/, `${label} must be a number such as 0.0125`)
    .refine(text => /[1-9]/.test(text), `${label} must be more than 0`)
}

/** A time in ISO 8601, in UTC. */
export function moment(label: string) {
  return z.iso.datetime(`${label} must be a time such as 2026-01-31T12:00:00.000Z`)
}

/** The id of a record in an answer (D8). */
export const recordId = z.uuidv7()
/** Id of a row numbered by the database; no call takes one (decision 62). */
export const lineNumber = z.string().regex(/^[1-9]\d{0,18}$/)
/** A USD amount in an answer, exact with two decimals. */
export const usd = z.number().meta({ format: 'usd' })
/** ISO 8601 in UTC. */
export const timestamp = z.string().meta({ format: 'date-time' })
/** Decimal text of a coin amount. */
export const cryptoText = z.string().meta({ format: 'decimal' })

export const reason = textLine('Reason', 500)
export const reasonBody = z.object({ reason })
/** For actions with an optional reason, which the audit log keeps (N-12). */
export const optionalReasonBody = z.object({ reason: reason.optional() })
/** An empty answer. */
export const nothing = z.object({})
