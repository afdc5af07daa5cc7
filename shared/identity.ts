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
  passport: 'Passport',
  identity_card: 'Identity card',
  driving_licence: 'Driving licence',
  residence_permit: 'Residence permit',
}

export const identityFileKinds = ['front', 'back', 'selfie', 'funds'] as const
export type IdentityFileKind = (typeof identityFileKinds)[number]

export const identityFileLabels: Readonly<Record<IdentityFileKind, string>> = {
  front: 'Front of the document',
  back: 'Back of the document',
  selfie: 'Selfie',
  funds: 'Proof of the source of funds',
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
  if (birth > today) return 'This date is in the future'
  const years = Math.floor(monthsUntil(birth, today) / 12)
  if (years < leastAge) return `Only people of at least ${leastAge} years can invest here`
  return years > oldestAge ? 'Check the year of this date' : undefined
}

/** Why a document with this last day is not accepted on a day, both as 2026-01-31. */
export function documentError(ends: string, today: string): string | undefined {
  return ends < today ? 'This document is no longer valid. Use another one.' : undefined
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
  salary: 'Salary or pension',
  business: 'Income of a business',
  savings: 'Savings',
  sale: 'Sale of property or other assets',
  inheritance: 'Inheritance or gift',
  investments: 'Profit from investments',
  other: 'Something else',
}

/** Suitability: how often a person has put money into investments that can be lost. */
export const experiences = ['never', 'sometimes', 'often'] as const
export type Experience = (typeof experiences)[number]

export const experienceLabels: Readonly<Record<Experience, string>> = {
  never: 'Never',
  sometimes: 'A few times',
  often: 'Regularly',
}

/** Suitability: what the loss of everything invested here would mean. */
export const lossBearings = ['bearable', 'painful', 'ruinous'] as const
export type LossBearing = (typeof lossBearings)[number]

export const lossLabels: Readonly<Record<LossBearing, string>> = {
  bearable: 'I would live as before',
  painful: 'I would have to save for a long time',
  ruinous: 'I could not pay for what I need',
}

/** The request that waits, and which check would let it go on. */
export const checkWords: Readonly<Record<CheckKind, string>> = {
  identity: 'proof of identity',
  funds: 'proof of the source of funds',
}
