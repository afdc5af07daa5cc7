import { z } from 'zod'
import { localUsd } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { mostNameWords } from '#shared/limits.ts'
import { maxUsdCents, mustBePositive, parseUsd, tooLarge, usdFromJson } from '#shared/money.ts'

/** Shared field types, each with a limit and a message that says what to do, in the language of the request. */

// Names and addresses have no control characters, and PostgreSQL refuses NUL.
const noControl = /^[^\p{Cc}]*$/u
const noNul = /^[^\0]*$/

/** One line of 1 to `max` characters; messages start with the label, a text named by `msg`. */
export function textLine(label: string, max: number) {
  return z
    .string({ error: () => t('{label} is required', { label: translate(label) }) })
    .trim()
    .min(1, { error: () => t('{label} is required', { label: translate(label) }) })
    .max(max, {
      error: () =>
        t('{label} can have at most {maximum} characters', { label: translate(label), maximum: max }),
    })
    .regex(noControl, {
      error: () => t('{label} has characters that cannot be used', { label: translate(label) }),
    })
    .refine(text => text.isWellFormed(), {
      error: () => t('{label} has characters that cannot be used', { label: translate(label) }),
    })
}

const nameWords = /[\p{Script=Han}\p{Script=Hangul}]|[^\s\p{P}\p{Script=Han}\p{Script=Hangul}]+/gu

/** A person's name. More words would hide it from the comparison with sanctions lists; each Chinese or Korean sign is one. */
export const personName = textLine(msg('Name'), 120).refine(
  name => (name.match(nameWords)?.length ?? 0) <= mostNameWords,
  { error: () => t('Name can have at most {maximum} words', { maximum: mostNameWords }) },
)

/** Several lines of 1 to `max` characters. */
export function textBlock(label: string, max: number) {
  return z
    .string({ error: () => t('{label} is required', { label: translate(label) }) })
    .trim()
    .min(1, { error: () => t('{label} is required', { label: translate(label) }) })
    .max(max, {
      error: () =>
        t('{label} can have at most {maximum} characters', { label: translate(label), maximum: max }),
    })
    .regex(noNul, {
      error: () => t('{label} has characters that cannot be used', { label: translate(label) }),
    })
    .refine(text => text.isWellFormed(), {
      error: () => t('{label} has characters that cannot be used', { label: translate(label) }),
    })
}

/** An id that a caller sends. */
export const id = z.uuid({ error: () => t('This id is not valid') }).toLowerCase()
export const idParams = z.object({ id })

export const emailAddress = z
  .string({ error: () => t('Email is required') })
  .trim()
  .toLowerCase()
  .min(1, { error: () => t('Email is required') })
  .max(254, { error: () => t('Email can have at most 254 characters') })
  .pipe(z.email({ error: () => t('Enter a valid email address') }))

function noUsdNumber(label: string): string {
  return t('{label} must be a number of dollars, such as 1000.50', { label })
}

/**
 * A positive USD amount as a JSON number with at most two decimals. `usdFromJson` converts it to cents.
 * @param orNone true: 0 is allowed too
 */
export function usdNumber(label: string, { orNone = false } = {}) {
  const number = z.number({
    error: () => noUsdNumber(translate(label)),
  })
  const atLeast = orNone
    ? number.min(0, { error: () => t('{label} cannot be negative', { label: translate(label) }) })
    : number.gt(0, { error: () => mustBePositive(translate(label)) })
  return atLeast
    .max(Number(maxUsdCents) / 100, { error: () => tooLarge(translate(label), localUsd) })
    .refine(value => usdFromJson(value) !== undefined, {
      error: () => t('{label} can have at most two decimals', { label: translate(label) }),
    })
}
export const usdAmount = usdNumber(msg('Amount'))

/** The largest integer of the columns. */
const mostVersions = 2_147_483_647
const versionAtLeast = (least: 0 | 1) =>
  z
    .int({ error: () => t('Version must be a whole number') })
    .min(least, { error: () => t('Version must be at least {least}', { least }) })
    .max(mostVersions, { error: () => t('There is no such version') })
/** The version that was shown or edited. */
export const versionNumber = versionAtLeast(1)
/** The version that was edited; 0 for the first. */
export const versionOrNone = versionAtLeast(0)

const noVersion = { error: () => t('Send the version of the plan that was shown') }
/** Also as text, in an address. */
export const planVersion = z.coerce
  .number(noVersion)
  .int(noVersion)
  .min(1, noVersion)
  .max(mostVersions, noVersion)

/** A USD amount in a query: plain digits without commas. `parseUsd` converts it to cents. */
export const usdAmountText = z
  .string({ error: () => t('Amount is required') })
  .regex(/^\d+(\.\d{1,2})?$/, { error: () => noUsdNumber(t('Amount')) })
  .refine(text => /[1-9]/.test(text), { error: () => mustBePositive(t('Amount')) })
  .refine(text => (parseUsd(text) ?? maxUsdCents + 1n) <= maxUsdCents, {
    error: () => tooLarge(t('Amount'), localUsd),
  })

/** The answer of `deposit.quote`, returned unchanged. */
export const quoteToken = z
  .string()
  .min(1, { error: () => t('This quote is not valid') })
  .max(1000, { error: () => t('This quote is not valid') })

/** A day of the calendar, YYYY-MM-DD. */
export const day = z.iso
  .date({ error: () => t('Enter the date as YYYY-MM-DD') })
  .refine(text => text >= '2000-01-01' && text < '2200-01-01', {
    error: () => t('Enter a date from 2000 on'),
  })

/** An IANA name, such as 'Australia/Sydney'. */
export const timeZone = z
  .string()
  .max(64, { error: () => t('This time zone is not known') })
  .refine(isTimeZone, { error: () => t('This time zone is not known') })

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
    .string({ error: () => t('{label} must be a text such as 0.0125', { label: translate(label) }) })
    .regex(/^\d{1,12}(\.\d{1,9})?$/, {
      error: () => t('{label} must be a number such as 0.0125', { label: translate(label) }),
    })
    .refine(text => /[1-9]/.test(text), {
      error: () => mustBePositive(translate(label)),
    })
}

/** A time in ISO 8601, in UTC. */
export function moment(label: string) {
  return z.iso.datetime({
    error: () => t('{label} must be a time such as 2026-01-31T12:00:00.000Z', { label: translate(label) }),
  })
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

export const reason = textLine(msg('Reason'), 500)
export const reasonBody = z.object({ reason })
/** For actions with an optional reason, which the audit log keeps (N-12). */
export const optionalReasonBody = z.object({ reason: reason.optional() })
/** An empty answer. */
export const nothing = z.object({})
