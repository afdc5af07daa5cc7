import { inLanguage } from '#server/platform/language.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { parseUsd } from '#shared/money.ts'

/** Why the product itself declines an investment: stored in English, as the audit log is, and shown in the reader's language. */
export const unpaidReason = msg('No payment arrived in time')

type Short = { isLate: boolean; arrivedCents: bigint; amountCents: bigint }

/** The reason that is stored if a payment does not cover its investment. */
export function shortReason(short: Short): string {
  return inLanguage(sourceLanguage, () => wordsOf(short))
}

function wordsOf({ isLate, arrivedCents, amountCents }: Short): string {
  const amounts = { arrived: localUsd(arrivedCents), amount: localUsd(amountCents) }
  return isLate
    ? t(
        'The payment arrived late and was worth {arrived} of {amount}. The money is available on the balance.',
        amounts,
      )
    : t('The payment was underpaid: {arrived} of {amount}. The money is available on the balance.', amounts)
}

/** A stored reason in the current language; what a person wrote stays as it is. */
export function shownReason(stored: string): string
export function shownReason(stored: string | null): string | null
export function shownReason(stored: string | null): string | null {
  if (stored === null) return null
  if (stored === unpaidReason) return translate(unpaidReason)
  const [arrivedCents, amountCents] = (stored.match(/\$[\d,]+\.\d\d/g) ?? []).map(parseUsd)
  if (arrivedCents === undefined || amountCents === undefined) return stored
  const own = [true, false]
    .map(isLate => ({ isLate, arrivedCents, amountCents }))
    .find(short => shortReason(short) === stored)
  return own ? wordsOf(own) : stored
}
