import { parseTypedUsd, typedUsd } from '#shared/i18n/amounts.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { formatDecimal, parseUsd } from '#shared/money.ts'

/** An amount for the address, as people type it in their language; undefined while incomplete. */
export function readAmount(text: string): string | undefined {
  if (text.trim() === '') return ''
  const cents = parseTypedUsd(text)
  return cents === undefined || cents <= 0n ? undefined : formatDecimal(cents, 2)
}

/** The address's amount as the reader's language writes it. */
export function writeAmount(value: string): string {
  const cents = languageNow() === sourceLanguage ? undefined : parseUsd(value)
  return cents === undefined ? value : typedUsd(cents)
}
