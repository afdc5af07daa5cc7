import type { FirmTexts } from '#shared/contract/firm-texts.ts'
import type { FirmOriginal } from '#shared/firm-in-language.ts'
import type { Environment } from './environment.ts'

/** The firm's profile from the variables, under the console's field names; its schema checks it. */
export function firmGiven(env: Partial<Environment>): Record<keyof FirmOriginal, unknown> {
  return {
    productName: env.FIRM_PRODUCT_NAME,
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
    texts: textsGiven(env),
  }
}

/** Empty variables stay out. */
function textsGiven(env: Partial<Environment>): Record<keyof FirmTexts, unknown> {
  return {
    heading: env.FIRM_HEADING ?? null,
    introduction: env.FIRM_INTRODUCTION ?? null,
    footerLine: env.FIRM_FOOTER_LINE ?? null,
    description: env.FIRM_DESCRIPTION ?? null,
    teaserHeading: env.FIRM_TEASER_HEADING ?? null,
    teaser: env.FIRM_TEASER ?? null,
    aboutHeading: env.FIRM_ABOUT_HEADING ?? null,
    aboutLead: env.FIRM_ABOUT_LEAD ?? null,
    storyHeading: env.FIRM_STORY_HEADING ?? null,
    story: env.FIRM_STORY ?? null,
    values: env.FIRM_VALUES ?? [],
    services: env.FIRM_SERVICES ?? [],
    sectorsHeading: env.FIRM_SECTORS_HEADING ?? null,
    sectorsLead: env.FIRM_SECTORS_LEAD ?? null,
    servicesLead: env.FIRM_SERVICES_LEAD ?? null,
    sectors: env.FIRM_SECTORS ?? [],
    processLead: env.FIRM_PROCESS_LEAD ?? null,
    questions: env.FIRM_QUESTIONS ?? [],
    contactLead: env.FIRM_CONTACT_LEAD ?? null,
  }
}

/** 'legalName' is FIRM_LEGAL_NAME. */
export function firmVariable(field: string): string {
  return `FIRM_${field.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`
}
