import type { CallInput } from '#shared/contract/define.ts'
import type { updateFirm } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { legalSentences } from '#shared/firm-texts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Values } from '#web/admin/versions/changes.ts'
import { fieldError, mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'

/** Form fields of the profile without its texts; phone numbers are separated by commas. */
export const firmFields = [
  'productName',
  'legalName',
  'registrationNumber',
  'streetAddress',
  'jurisdictions',
  'foundedYear',
  'onlineSince',
  'regulator',
  'licence',
  'unregulatedStatement',
  'supportEmail',
  'phones',
  'riskStatement',
] as const satisfies readonly (keyof FirmProfile)[]
export type FirmValues = Record<(typeof firmFields)[number], string>

/** For `translate`. */
export const fieldNames: Record<keyof FirmValues, string> = {
  productName: msg('Product name'),
  legalName: msg('Legal name'),
  registrationNumber: msg('Registration number'),
  streetAddress: msg('Street address'),
  jurisdictions: legalSentences.jurisdictions.label,
  foundedYear: msg('Founded'),
  onlineSince: msg('Online since'),
  regulator: msg('Regulator'),
  licence: msg('Licence'),
  unregulatedStatement: legalSentences.unregulatedStatement.label,
  supportEmail: msg('Support email'),
  phones: msg('Telephone'),
  riskStatement: legalSentences.riskStatement.label,
}

export function valuesOf(firm: FirmProfile): FirmValues {
  return Object.fromEntries(
    firmFields.map(field => {
      const value = firm[field]
      return [field, Array.isArray(value) ? value.join(', ') : String(value ?? '')]
    }),
  ) as FirmValues
}

/** Values by which versions are compared. */
export function shownValues(values: FirmValues): Values {
  return firmFields.map(field => [translate(fieldNames[field]), values[field].trim()])
}

const required = [
  'productName',
  'legalName',
  'streetAddress',
  'supportEmail',
  'jurisdictions',
  'riskStatement',
  'foundedYear',
  'onlineSince',
] as const

/** Form errors; the server validates the rest. */
export function firmError(values: FirmValues): ValidationError | undefined {
  const isYear = (field: 'foundedYear' | 'onlineSince') =>
    /^\d{4}$/.test(values[field].trim())
      ? undefined
      : fieldError(field, t('Enter a year, such as {year}', { year: '2019' }))
  const empty = missing(values, required, t('Please complete all required fields'))
  return empty ?? mergeErrors(isYear('foundedYear'), isYear('onlineSince'))
}

/** The request for valid values. */
export function firmBody(
  values: FirmValues,
): Omit<CallInput<typeof updateFirm>['body'], 'texts' | 'version' | 'reason'> {
  const text = (field: keyof FirmValues) => values[field].trim()
  const optional = (field: keyof FirmValues) => text(field) || null
  return {
    productName: text('productName'),
    legalName: text('legalName'),
    registrationNumber: optional('registrationNumber'),
    regulator: optional('regulator'),
    licence: optional('licence'),
    unregulatedStatement: optional('unregulatedStatement'),
    streetAddress: text('streetAddress'),
    supportEmail: text('supportEmail'),
    phones: values.phones
      .split(',')
      .map(number => number.trim())
      .filter(number => number !== ''),
    jurisdictions: text('jurisdictions'),
    riskStatement: text('riskStatement'),
    foundedYear: Number(text('foundedYear')),
    onlineSince: Number(text('onlineSince')),
  }
}
