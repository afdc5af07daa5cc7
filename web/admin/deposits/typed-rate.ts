import { typedUsd } from '#shared/i18n/amounts.ts'

const withComma = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/
const withPoint = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/

/**
 * A rate as people type it in their language, '97,123.45' or '97.123,45', as requests have it: '97123.45'. Any other text
 * is sent as it is, for the server to judge.
 */
export function typedRate(text: string): string {
  const typed = text.trim()
  if (!typedUsd(0n).includes(',')) return withPoint.test(typed) ? typed.replaceAll(',', '') : typed
  return withComma.test(typed) ? typed.replaceAll('.', '').replace(',', '.') : typed
}
