import { msg, t, translate } from './i18n/t.ts'

/** Sanctions lists that can be imported. */
export const sanctionsLists = ['ofac_sdn', 'un_sc', 'eu_fsf'] as const
export type SanctionsList = (typeof sanctionsLists)[number]

/** All lists that names are compared with: those of sanctions, and one of politically exposed persons (PEPs), who are accused of nothing. */
export const nameLists = [...sanctionsLists, 'pep'] as const
export type NameList = (typeof nameLists)[number]

export function isSanctions(list: NameList): list is SanctionsList {
  return list !== 'pep'
}

/** What an entry of a list is about. */
export const entryKinds = ['person', 'organisation', 'vessel', 'aircraft'] as const
export type EntryKind = (typeof entryKinds)[number]

/** What staff can decide about a person whose name is like a listed one: somebody else, or the very one. */
export const matchDecisions = ['different', 'same'] as const
export type MatchDecision = (typeof matchDecisions)[number]
/** A match is open until it is decided, and lapses if its entry leaves the list before. */
export const matchStatuses = ['open', ...matchDecisions, 'lapsed'] as const

/** How a verified date of birth fits what a list says: unclear if the list has none or only roughly, unknown if none is verified. */
export const birthVerdicts = ['agrees', 'contradicts', 'unclear', 'unknown'] as const
export type BirthVerdict = (typeof birthVerdicts)[number]

/** The publisher of each list, as we name it to people. What is stored or exported has it in English. */
const publishers: Readonly<Record<NameList, string>> = {
  ofac_sdn: msg('OFAC (the US Office of Foreign Assets Control)'),
  un_sc: msg('the United Nations Security Council'),
  eu_fsf: msg('the European Union'),
  pep: msg('OpenSanctions (politically exposed persons)'),
}

/** Where an address is listed: the publisher's number of its owner, and their name there. */
export type Listing = { list: SanctionsList; entry: string; name: string }

export function publisherOf(list: NameList): string {
  return translate(publishers[list])
}

/** 'the sanctions list of the European Union', as we name a list in a sentence. */
export function listWords(list: NameList): string {
  return isSanctions(list)
    ? t('the sanctions list of {publisher}', { publisher: publisherOf(list) })
    : t('the list of politically exposed persons')
}

/**
 * Why an account's name stops its withdrawals: staff still have to compare it with that of an entry, they have decided that it is the same
 * one, or it was compared with no list yet.
 */
export type NameStop = { why: 'uncompared' } | ({ why: 'open' | 'same' } & Listing)

/** 'on the sanctions list of OFAC (…), entry 25308 (Ali KHORASHADIZADEH)': for staff. */
export function entryText({ list, entry, name }: Listing): string {
  return t('on the sanctions list of {publisher}, entry {entry} ({name})', {
    publisher: publisherOf(list),
    entry,
    name,
  })
}

/** 'ofac_sdn 25308', for the audit log. */
export function entryKey({ list, entry }: Pick<Listing, 'list' | 'entry'>): string {
  return `${list} ${entry}`
}

/** The same in English, to be stored. */
export function entryWords({ list, entry, name }: Listing): string {
  return `on the sanctions list of ${publishers[list]}, entry ${entry} (${name})`
}
