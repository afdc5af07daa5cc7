import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import { countryCodes, localCountry } from '#shared/countries.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

/**
 * Writes a phone number with its dialling code: '0412 345 678' in Australia is '+61 412 345 678'. Only its length is
 * checked for the country, because number ranges change more often than this program.
 * @returns null if it is no phone number
 */
export function formatPhone(typed: string, country: string): string | null {
  const code = countryCodes.get(country) ?? ''
  // Without numbers of its own, as in Antarctica, a country needs a dialling code.
  const defaultCountry = isSupportedCountry(code) ? code : undefined
  const number = parsePhoneNumberFromString(typed, {
    ...(defaultCountry && { defaultCountry }),
    extract: false,
  })
  return number?.isPossible() ? number.formatInternational() : null
}

export const isCountry = (name: string) => countryCodes.has(name)

/** The refusal of a number that is none in the country. */
export function badPhone(country: string): string {
  return t('Enter a valid phone number for {country}, or start with the dialling code, such as +44', {
    country: localCountry(country),
  })
}

/** @throws AppError invalid_input */
export function requirePhone(typed: string, country: string): string {
  const phone = formatPhone(typed, country)
  if (phone !== null) return phone
  throw new AppError('invalid_input', badPhone(country), { fields: { phone: badPhone(country) } })
}
