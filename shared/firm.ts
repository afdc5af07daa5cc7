import { msg, t, translate } from '#shared/i18n/t.ts'
import type { FirmProfile } from './contract/site.ts'
import type { FieldErrors } from './errors.ts'

/**
 * Errors of a firm's profile (D2) beyond each field's own, for the live configuration and the console.
 * @param firm without invalid fields
 * @param thisYear latest possible founding year
 */
export function firmErrors(firm: Partial<FirmProfile>, mode: 'demo' | 'live', thisYear: number): FieldErrors {
  return {
    ...regulationErrors(firm),
    ...(mode === 'live' ? liveErrors(firm) : {}),
    ...yearErrors(firm, thisYear),
  }
}

const regulation = msg('Enter both the regulator and the licence, or the unregulated-status notice')

/** Either regulator and licence, or the unregulated-status notice. */
function regulationErrors({ regulator, licence, unregulatedStatement }: Partial<FirmProfile>): FieldErrors {
  if (regulator === undefined || licence === undefined || unregulatedStatement === undefined) return {}
  const isHalfRegulated = (regulator === null) !== (licence === null)
  const saysNothing = regulator === null && unregulatedStatement === null
  if (isHalfRegulated || saysNothing)
    return { [regulator === null ? 'regulator' : 'licence']: translate(regulation) }
  if (regulator === null || unregulatedStatement === null) return {}
  return {
    unregulatedStatement: t('Leave this empty: the firm has a regulator and a licence'),
  }
}

/** Required in live mode only. */
function liveErrors({ registrationNumber, supportEmail }: Partial<FirmProfile>): FieldErrors {
  const errors: FieldErrors = {}
  if (registrationNumber === null) errors.registrationNumber = t('Registration number is required')
  else if (registrationNumber !== undefined && !/\d/.test(registrationNumber)) {
    errors.registrationNumber = t('Registration number must have a digit')
  }
  if (supportEmail !== undefined && hasReservedDomain(supportEmail)) {
    errors.supportEmail = t('This address cannot receive email: its domain is reserved for tests')
  }
  return errors
}

function yearErrors({ foundedYear, onlineSince }: Partial<FirmProfile>, thisYear: number): FieldErrors {
  const errors: FieldErrors = {}
  const toCome = t('The year cannot be later than {year}', { year: thisYear })
  if (foundedYear !== undefined && foundedYear > thisYear) errors.foundedYear = toCome
  if (onlineSince !== undefined && onlineSince > thisYear) errors.onlineSince = toCome
  const isInvalid = Object.keys(errors).length > 0 || foundedYear === undefined || onlineSince === undefined
  if (!isInvalid && onlineSince < foundedYear) {
    errors.onlineSince = t('The firm cannot have been online before it was founded')
  }
  return errors
}

/** True for top-level domains reserved for tests (RFC 2606). */
export function hasReservedDomain(address: string): boolean {
  return /[@.](test|invalid|example|localhost)$/i.test(address)
}
