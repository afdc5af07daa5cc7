import type { EntryKind } from '#shared/sanctions.ts'

/**
 * A person, organisation, vessel or aircraft on a sanctions list.
 * @property entry the authority's number: OFAC's uid, the UN's reference number, the EU's reference number
 * @property names given names before family names, the main one first, in all published scripts
 * @property weak names that the list itself calls weak or of low quality
 * @property births YYYY-MM-DD, YYYY, or words such as 'circa 1965' and 'between 1955 and 1958'
 * @property countries of nationality or citizenship, in the list's words
 */
export type ListedEntry = {
  entry: string
  kind: EntryKind
  names: string[]
  weak: string[]
  births: string[]
  countries: string[]
  programmes: string[]
  wallets: string[]
}

/** @property publishedOn YYYY-MM-DD */
export type SanctionsFile = { publishedOn: string; entries: ListedEntry[] }

/** A file that is not the whole of a list. */
export class UnreadableList extends Error {}

/** Undefined: a kind that we do not know. */
type ReadEntry = Omit<ListedEntry, 'kind'> & { kind: EntryKind | undefined }

/**
 * An entry as read, without what its list repeats or leaves empty.
 * @throws UnreadableList if it lacks its number, a known kind, a name or a wallet's address
 */
export function listedEntry(read: ReadEntry): ListedEntry {
  const strong = distinct(read.names)
  // Somebody listed under weak names only must still be found.
  const names = strong.length > 0 ? strong : distinct(read.weak)
  const known = new Set(names)
  if (read.entry === '') throw new UnreadableList(`The entry of ${names[0] ?? 'nobody'} has no number.`)
  const invalid = (what: string) => new UnreadableList(`Entry ${read.entry} of the file ${what}.`)
  if (read.kind === undefined) throw invalid('is of an unknown kind')
  if (names.length === 0) throw invalid('has no name')
  if (read.wallets.includes('')) throw invalid('has a wallet without an address')
  return {
    entry: read.entry,
    kind: read.kind,
    names,
    weak: distinct(read.weak.filter(name => !known.has(name))),
    births: distinct(read.births),
    countries: distinct(read.countries),
    programmes: distinct(read.programmes),
    wallets: distinct(read.wallets),
  }
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter(text => text !== '')
}

/**
 * @param stated the day of publication as YYYY-MM-DD, also followed by a time of that day
 * @throws UnreadableList if that is no day, or nothing is listed
 */
export function sanctionsFile(stated: string, entries: ListedEntry[]): SanctionsFile {
  const [publishedOn] = /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(stated) ?? []
  if (publishedOn === undefined || !isDay(publishedOn)) {
    throw new UnreadableList('The file does not state the day of its publication.')
  }
  if (entries.length === 0) throw new UnreadableList('The file has no entries.')
  return { publishedOn, entries }
}

/** True if this YYYY-MM-DD is a day of the calendar. */
export function isDay(iso: string): boolean {
  return new Date(`${iso}T00:00Z`).toJSON()?.slice(0, 10) === iso
}

/** 'Jan' is the first. */
export const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Words for two years, one of which may be unknown ('') and, if both are, for nothing. */
export function betweenYears(from: string, to: string): string {
  if (from !== '' && to !== '') return `between ${from} and ${to}`
  if (from !== '') return `${from} or later`
  return to === '' ? '' : `${to} or earlier`
}
