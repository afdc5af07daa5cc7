import { msg, t } from '#shared/i18n/t.ts'
import { leastAge, mostFundsFiles, oldestAge } from './limits.ts'
import { monthsUntil } from './moments.ts'

/** What an account proves to staff (decision 180): who its owner is, and where their money comes from. */
export const checkKinds = ['identity', 'funds'] as const
export type CheckKind = (typeof checkKinds)[number]

/** How the session of a provider ended. `unusable`: it told too little about the document. */
export const sessionOutcomes = [
  'approved',
  'declined',
  'resubmit',
  'expired',
  'unusable',
  'cancelled',
] as const
export type SessionOutcome = (typeof sessionOutcomes)[number]

/** What an account has proved: nothing, who its owner is, or also where their money comes from. */
export const identityLevels = ['none', ...checkKinds] as const
export type IdentityLevel = (typeof identityLevels)[number]

/** `returned`: it can be sent again, corrected. `refused`: we do not keep the person as a customer, and return their money. */
export const checkDecisions = ['verified', 'returned', 'refused'] as const
export type CheckDecision = (typeof checkDecisions)[number]
export const checkStatuses = ['waiting', ...checkDecisions, 'cancelled'] as const
export type CheckStatus = (typeof checkStatuses)[number]

export const documentKinds = ['passport', 'identity_card', 'driving_licence', 'residence_permit'] as const
export type DocumentKind = (typeof documentKinds)[number]

export const documentLabels: Readonly<Record<DocumentKind, string>> = {
  passport: msg('Passport'),
  identity_card: msg('Identity card'),
  driving_licence: msg('Driving licence'),
  residence_permit: msg('Residence permit'),
}

export const identityFileKinds = ['front', 'back', 'selfie', 'funds'] as const
export type IdentityFileKind = (typeof identityFileKinds)[number]

export const identityFileLabels: Readonly<Record<IdentityFileKind, string>> = {
  front: msg('Front of the document'),
  back: msg('Back of the document'),
  selfie: msg('Selfie'),
  funds: msg('Proof of the source of funds'),
}

export const missingFileWords: Readonly<Record<IdentityFileKind, string>> = {
  front: msg('Front of the document is missing. Add a picture or a PDF of it.'),
  back: msg('Back of the document is missing. Add a picture or a PDF of it.'),
  selfie: msg('Selfie is missing. Add a picture or a PDF of it.'),
  funds: msg('Proof of the source of funds is missing. Add a picture or a PDF of it.'),
}

/** True if a check has one file of this kind, so that a new one replaces it. */
export function isSingle(kind: IdentityFileKind): boolean {
  return kind !== 'funds'
}

/** The files of a check, each with how many there can be. */
export function filesFor(check: { kind: 'identity'; document: DocumentKind } | { kind: 'funds' }): {
  readonly [Kind in IdentityFileKind]?: { least: number; most: number }
} {
  if (check.kind === 'funds') return { funds: { least: 1, most: mostFundsFiles } }
  const one = { least: 1, most: 1 }
  return check.document === 'passport' ? { front: one, selfie: one } : { front: one, back: one, selfie: one }
}

/** Why a date of birth is not accepted on a day, both as 2026-01-31. */
export function birthError(birth: string, today: string): string | undefined {
  if (birth > today) return t('This date is in the future')
  const years = Math.floor(monthsUntil(birth, today) / 12)
  if (years < leastAge) return t('Only people of at least {age} years can invest here', { age: leastAge })
  return years > oldestAge ? t('Check the year of this date') : undefined
}

/** Why a document with this last day is not accepted on a day, both as 2026-01-31. */
export function documentError(ends: string, today: string): string | undefined {
  return ends < today ? t('This document is no longer valid. Use another one.') : undefined
}

export const fundsSources = [
  'salary',
  'business',
  'savings',
  'sale',
  'inheritance',
  'investments',
  'other',
] as const
export type FundsSource = (typeof fundsSources)[number]

export const fundsSourceLabels: Readonly<Record<FundsSource, string>> = {
  salary: msg('Salary or pension'),
  business: msg('Income of a business'),
  savings: msg('Savings'),
  sale: msg('Sale of property or other assets'),
  inheritance: msg('Inheritance or gift'),
  investments: msg('Profit from investments'),
  other: msg('Something else'),
}

/** Suitability: how often a person has put money into investments that can be lost. */
export const experiences = ['never', 'sometimes', 'often'] as const
export type Experience = (typeof experiences)[number]

export const experienceLabels: Readonly<Record<Experience, string>> = {
  never: msg('Never'),
  sometimes: msg('A few times'),
  often: msg('Regularly'),
}

/** Suitability: what the loss of everything invested here would mean. */
export const lossBearings = ['bearable', 'painful', 'ruinous'] as const
export type LossBearing = (typeof lossBearings)[number]

export const lossLabels: Readonly<Record<LossBearing, string>> = {
  bearable: msg('I would live as before'),
  painful: msg('I would have to save for a long time'),
  ruinous: msg('I could not pay for what I need'),
}

/** The request that waits, and which check would let it go on. */
export const checkWords: Readonly<Record<CheckKind, string>> = {
  identity: msg('proof of identity'),
  funds: msg('proof of the source of funds'),
}
