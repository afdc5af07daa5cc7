import {
  betweenYears,
  type ListedEntry,
  listedEntry,
  months,
  type SanctionsFile,
  sanctionsFile,
  UnreadableList,
} from './list.ts'
import { attribute, elementsAt, readXml, type XmlElement } from './xml.ts'

/** 'export' could be the root of many a file. */
const NAMESPACE = 'http://eu.europa.ec/fpi/fsd/export'

const kinds = new Map<string, ListedEntry['kind']>([
  ['P', 'person'],
  ['E', 'organisation'],
])

/**
 * Reads the European Union's consolidated list of financial sanctions as published (xmlFullSanctionsList_1_1), without keeping the file in
 * memory. What it says is in attributes.
 * @throws UnreadableList if it is another file or not well-formed
 */
export async function readEu(content: AsyncIterable<Uint8Array>): Promise<SanctionsFile> {
  const entries: ListedEntry[] = []
  const root = await readXml(content, {
    title: "the European Union's list",
    parts: { 'export/sanctionEntity': element => entries.push(entryOf(element)) },
  })
  if (attribute(root, 'xmlns') !== NAMESPACE) {
    throw new UnreadableList(`The file is not the European Union's list: it is not in ${NAMESPACE}.`)
  }
  return sanctionsFile(attribute(root, 'generationDate'), entries)
}

function entryOf(element: XmlElement): ListedEntry {
  const [kind = ''] = attributesOf(element, 'subjectType', 'classificationCode')
  const aliases = elementsAt(element, 'nameAlias')
  const isWeak = (alias: XmlElement) => attribute(alias, 'strong') === 'false'
  return listedEntry({
    entry: attribute(element, 'euReferenceNumber') || attribute(element, 'logicalId'),
    kind: kinds.get(kind),
    names: aliases.filter(alias => !isWeak(alias)).map(nameOf),
    weak: aliases.filter(isWeak).map(nameOf),
    births: elementsAt(element, 'birthdate').map(birthOf),
    countries: attributesOf(element, 'citizenship', 'countryDescription').filter(name => name !== 'UNKNOWN'),
    programmes: attributesOf(element, 'regulation', 'programme'),
    wallets: [],
  })
}

function attributesOf(element: XmlElement, child: string, name: string): string[] {
  return elementsAt(element, child).map(one => attribute(one, name))
}

function nameOf(alias: XmlElement): string {
  const parts = ['firstName', 'middleName', 'lastName'].map(part => attribute(alias, part))
  return attribute(alias, 'wholeName') || parts.filter(part => part !== '').join(' ')
}

function birthOf(element: XmlElement): string {
  const calendar = attribute(element, 'calendarType')
  const stated =
    attribute(element, 'birthdate') ||
    dateOf(element) ||
    betweenYears(attribute(element, 'yearRangeFrom'), attribute(element, 'yearRangeTo'))
  if (stated === '') return ''
  const words = attribute(element, 'circa') === 'true' ? `circa ${stated}` : stated
  // A year of another calendar must not be taken for one of ours.
  return calendar === 'GREGORIAN' || calendar === '' ? words : `${words} (${calendar})`
}

/** '1965', 'Mar 1965' or 1965-03-15; in another calendar than ours, which has other months, also '1343-03'. */
function dateOf(element: XmlElement): string {
  const [year = '', month = '', day = ''] = ['year', 'monthOfYear', 'dayOfMonth'].map(part =>
    attribute(element, part),
  )
  if (year === '') return ''
  const name = months[Number(month) - 1]
  const isOurs = attribute(element, 'calendarType') === 'GREGORIAN'
  if (isOurs && name !== undefined && day === '') return `${name} ${year}`
  const parts = [year, month, day].filter(part => part !== '')
  return parts.map(part => part.padStart(2, '0')).join('-')
}
