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

const regulation = 'Enter both the regulator and the licence, or the unregulated-status notice'

/** Either regulator and licence, or the unregulated-status notice. */
function regulationErrors({ regulator, licence, unregulatedStatement }: Partial<FirmProfile>): FieldErrors {
  if (regulator === undefined || licence === undefined || unregulatedStatement === undefined) return {}
  const isHalfRegulated = (regulator === null) !== (licence === null)
  const saysNothing = regulator === null && unregulatedStatement === null
  if (isHalfRegulated || saysNothing) return { [regulator === null ? 'regulator' : 'licence']: regulation }
  if (regulator === null || unregulatedStatement === null) return {}
  return {
    unregulatedStatement: 'Leave this empty: the firm has a regulator and a licence',
  }
}

/** Required in live mode only. */
function liveErrors({ registrationNumber, supportEmail }: Partial<FirmProfile>): FieldErrors {
  const errors: FieldErrors = {}
  if (registrationNumber === null) errors.registrationNumber = 'Registration number is required'
  else if (registrationNumber !== undefined && !/\d/.test(registrationNumber)) {
    errors.registrationNumber = 'Registration number must have a digit'
  }
  if (supportEmail !== undefined && hasReservedDomain(supportEmail)) {
    errors.supportEmail = 'This address cannot receive email: its domain is reserved for tests'
  }
  return errors
}

function yearErrors({ foundedYear, onlineSince }: Partial<FirmProfile>, thisYear: number): FieldErrors {
  const errors: FieldErrors = {}
  const toCome = `The year cannot be later than ${thisYear}`
  if (foundedYear !== undefined && foundedYear > thisYear) errors.foundedYear = toCome
  if (onlineSince !== undefined && onlineSince > thisYear) errors.onlineSince = toCome
  const isInvalid = Object.keys(errors).length > 0 || foundedYear === undefined || onlineSince === undefined
  if (!isInvalid && onlineSince < foundedYear) {
    errors.onlineSince = 'The firm cannot have been online before it was founded'
  }
  return errors
}

/** True for top-level domains reserved for tests (RFC 2606). */
export function hasReservedDomain(address: string): boolean {
  return /[@.](test|invalid|example|localhost)$/i.test(address)
}
