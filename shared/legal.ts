import type { FirmProfile } from './contract/site.ts'
import { riskLine } from './plans.ts'

/** Legal details and risk, one paragraph each, for the end of every page (P-12, P-14, D2). */
export function legalWords(firm: Omit<FirmProfile, 'texts'>, mode: 'demo' | 'live'): string[] {
  const identity = [
    firm.legalName,
    firm.registrationNumber && `registration ${firm.registrationNumber}`,
    firm.regulator && `regulated by ${firm.regulator}`,
    firm.licence && `licence ${firm.licence}`,
    firm.streetAddress,
    mode === 'live' && `Serves ${firm.jurisdictions}`,
  ]
  return [
    firm.riskStatement.includes(riskLine) ? firm.riskStatement : `${riskLine} ${firm.riskStatement}`,
    ...(firm.unregulatedStatement ? [firm.unregulatedStatement] : []),
    identity.filter(Boolean).join(' · '),
    `© ${firm.onlineSince} ${firm.legalName}. All rights reserved.`,
  ]
}
