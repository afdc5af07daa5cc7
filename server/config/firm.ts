import type { FirmProfile } from '#shared/contract/site.ts'
import { productName } from '#shared/product.ts'
import type { Environment } from './environment.ts'

/** The profile of the firm as the variables give it, by the console's names of the fields; checked by its schema. */
export function firmGiven(env: Partial<Environment>): Record<keyof FirmProfile, unknown> {
  return {
    productName,
    legalName: env.FIRM_LEGAL_NAME,
    registrationNumber: env.FIRM_REGISTRATION_NUMBER ?? null,
    regulator: env.FIRM_REGULATOR ?? null,
    licence: env.FIRM_LICENCE ?? null,
    unregulatedStatement: env.FIRM_UNREGULATED_STATEMENT ?? null,
    streetAddress: env.FIRM_STREET_ADDRESS,
    supportEmail: env.FIRM_SUPPORT_EMAIL,
    phones: env.FIRM_PHONES ?? [],
    jurisdictions: env.FIRM_JURISDICTIONS,
    riskStatement: env.FIRM_RISK_STATEMENT,
    foundedYear: Number(env.FIRM_FOUNDED_YEAR),
    onlineSince: Number(env.FIRM_ONLINE_SINCE),
  }
}

/** 'legalName' is FIRM_LEGAL_NAME. */
export function firmVariable(field: string): string {
  return `FIRM_${field.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`
}
