import type { FirmProfile } from './contract/site.ts'
import type { FieldErrors } from './errors.ts'

/**
 * Errors of a firm's profile (D2) beyond each field's own, for the live configuration and the console.
 * @param firm without invalid fields
 * @param thisYear latest possible founding year
 */
export function firmFaults(firm: Partial<FirmProfile>, mode: 'demo' | 'live', thisYear: number): FieldErrors {
  return {
    ...regulationFaults(firm),
    ...(mode === 'live' ? liveFaults(firm) : {}),
    ...yearFaults(firm, thisYear),
  }
}

const regulation = 'Enter both the regulator and the licence, or the unregulated-status notice'

/** Either regulator and licence, or the unregulated-status notice. */
function regulationFaults({ regulator, licence, unregulatedStatement }: Partial<FirmProfile>): FieldErrors {
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
function liveFaults({ registrationNumber, supportEmail }: Partial<FirmProfile>): FieldErrors {
  const faults: FieldErrors = {}
  if (registrationNumber === null) faults.registrationNumber = 'Registration number is required'
  else if (registrationNumber !== undefined && !/\d/.test(registrationNumber)) {
    faults.registrationNumber = 'Registration number must have a digit'
  }
  if (supportEmail !== undefined && hasReservedDomain(supportEmail)) {
    faults.supportEmail = 'This address cannot receive email: its domain is reserved for tests'
  }
  return faults
}

function yearFaults({ foundedYear, onlineSince }: Partial<FirmProfile>, thisYear: number): FieldErrors {
  const faults: FieldErrors = {}
  const toCome = `The year cannot be later than ${thisYear}`
  if (foundedYear !== undefined && foundedYear > thisYear) faults.foundedYear = toCome
  if (onlineSince !== undefined && onlineSince > thisYear) faults.onlineSince = toCome
  const isFaulty = Object.keys(faults).length > 0 || foundedYear === undefined || onlineSince === undefined
  if (!isFaulty && onlineSince < foundedYear) {
    faults.onlineSince = 'The firm cannot have been online before it was founded'
  }
  return faults
}

/** True for top-level domains reserved for tests (RFC 2606). */
export function hasReservedDomain(address: string): boolean {
  return /[@.](test|invalid|example|localhost)$/i.test(address)
}
