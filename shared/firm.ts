import type { FirmProfile } from './contract/site.ts'
import type { FieldErrors } from './errors.ts'

const regulation = 'Enter both the regulator and the licence, or the statement that the firm is unregulated'

/**
 * What a firm's profile may not leave open (D2), beyond what each field must look like: by the configuration of a live
 * installation it begins with, and by every change in the console.
 * @param thisYear by which nothing can have been founded later
 * @returns a message for each faulty field
 */
export function firmFaults(firm: FirmProfile, mode: 'demo' | 'live', thisYear: number): FieldErrors {
  const faults: FieldErrors = {}
  const isHalfRegulated = (firm.regulator === null) !== (firm.licence === null)
  const saysNothing = firm.regulator === null && firm.unregulatedStatement === null
  if (isHalfRegulated || saysNothing) faults[firm.regulator === null ? 'regulator' : 'licence'] = regulation
  else if (firm.regulator !== null && firm.unregulatedStatement !== null) {
    faults.unregulatedStatement = 'A firm with a regulator and a licence cannot say that it is unregulated'
  }
  if (mode === 'live' && firm.registrationNumber === null) {
    faults.registrationNumber = 'Registration number is required'
  }
  if (firm.foundedYear > thisYear) faults.foundedYear = `The year cannot be later than ${thisYear}`
  if (firm.onlineSince > thisYear) faults.onlineSince = `The year cannot be later than ${thisYear}`
  else if (firm.onlineSince < firm.foundedYear) {
    faults.onlineSince = 'The firm cannot have been online before it was founded'
  }
  return faults
}
