import { maximumPepNames } from '#shared/limits.ts'
import { readCsv, valuesOf } from './csv.ts'
import { type ListedEntry, listedEntry, type SanctionsFile, sanctionsFile, UnreadableList } from './list.ts'

/** What we read of the published columns; the others are addresses, numbers, sanctions, telephones, emails and times. */
const columns = [
  'id',
  'schema',
  'name',
  'aliases',
  'birth_date',
  'countries',
  'dataset',
  'last_seen',
] as const
type Column = (typeof columns)[number]
type Row = Record<Column, string>

/**
 * Reads politically exposed persons from a file in OpenSanctions' format targets.simple.csv, without keeping it in memory. Organisations in
 * it are left out. It states no day, so its day is the last one on which one of its sources was read.
 * @throws UnreadableList if it is another file, not well-formed, or has too many names to compare with
 */
export async function readPep(content: AsyncIterable<Uint8Array>): Promise<SanctionsFile> {
  const entries: ListedEntry[] = []
  let header: string[] | undefined
  let day = ''
  let names = 0
  for await (const record of readCsv(content)) {
    if (header === undefined) {
      header = requireHeader(record)
      continue
    }
    const row = rowOf(header, record)
    if (row.last_seen > day) day = row.last_seen
    if (row.schema !== 'Person') continue
    const entry = entryOf(row)
    names += entry.names.length
    if (names > maximumPepNames) {
      throw new UnreadableList(
        `The file has more than ${maximumPepNames} names, more than we compare. Use a smaller collection, such as that of the countries of your investors.`,
      )
    }
    entries.push(entry)
  }
  if (header === undefined) throw new UnreadableList('The file is empty.')
  return sanctionsFile(day, entries)
}

function requireHeader(header: string[]): string[] {
  const missing = columns.find(column => !header.includes(column))
  if (missing === undefined) return header
  throw new UnreadableList(`The file is not in the format targets.simple.csv: it has no column ${missing}.`)
}

function rowOf(header: readonly string[], record: readonly string[]): Row {
  if (record.length !== header.length) {
    throw new UnreadableList(`A record of the file has ${record.length} fields, not ${header.length}.`)
  }
  return Object.fromEntries(columns.map(column => [column, record[header.indexOf(column)]!.trim()])) as Row
}

function entryOf(row: Row): ListedEntry {
  return listedEntry({
    entry: row.id,
    kind: 'person',
    names: [row.name, ...valuesOf(row.aliases)],
    weak: [],
    births: valuesOf(row.birth_date),
    countries: valuesOf(row.countries),
    programmes: valuesOf(row.dataset),
    wallets: [],
  })
}
