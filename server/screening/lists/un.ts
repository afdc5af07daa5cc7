import { betweenYears, type ListedEntry, listedEntry, type SanctionsFile, sanctionsFile } from './list.ts'
import { attribute, elementsAt, readXml, textAt, textsAt, type XmlElement } from './xml.ts'

const nameParts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']

/**
 * Reads the United Nations Security Council's consolidated list as published (consolidated.xml), without keeping the file in memory.
 * @throws UnreadableList if it is another file or not well-formed
 */
export async function readUn(content: AsyncIterable<Uint8Array>): Promise<SanctionsFile> {
  const entries: ListedEntry[] = []
  const root = await readXml(content, {
    title: "the United Nations' consolidated list",
    parts: {
      'CONSOLIDATED_LIST/INDIVIDUALS/INDIVIDUAL': element =>
        entries.push(entryOf(element, 'person', 'INDIVIDUAL_ALIAS')),
      'CONSOLIDATED_LIST/ENTITIES/ENTITY': element =>
        entries.push(entryOf(element, 'organisation', 'ENTITY_ALIAS')),
    },
  })
  return sanctionsFile(attribute(root, 'dateGenerated'), entries)
}

function entryOf(element: XmlElement, kind: ListedEntry['kind'], alias: string): ListedEntry {
  const [low, others] = byQuality(elementsAt(element, alias))
  return listedEntry({
    entry: textAt(element, 'REFERENCE_NUMBER'),
    kind,
    names: [
      nameParts.flatMap(part => textsAt(element, part)).join(' '),
      ...textsAt(element, 'NAME_ORIGINAL_SCRIPT'),
      ...others,
    ],
    weak: low,
    births: [
      ...elementsAt(element, 'INDIVIDUAL_DATE_OF_BIRTH').map(birthOf),
      // Of another identity of the same person.
      ...textsAt(element, alias, 'DATE_OF_BIRTH'),
    ],
    countries: textsAt(element, 'NATIONALITY', 'VALUE'),
    programmes: textsAt(element, 'UN_LIST_TYPE'),
    wallets: [],
  })
}

/** The names in aliases: of low quality, and all others, which include former names. */
function byQuality(aliases: readonly XmlElement[]): [low: string[], others: string[]] {
  const names = aliases.flatMap(alias =>
    namesIn(textAt(alias, 'ALIAS_NAME')).map(name => ({ name, isLow: textAt(alias, 'QUALITY') === 'Low' })),
  )
  const those = (low: boolean) => names.filter(({ isLow }) => isLow === low).map(({ name }) => name)
  return [those(true), those(false)]
}

/** 'Fazel Rahim; Fazil Rahim' are two names; one with brackets stays as it is. */
function namesIn(alias: string): string[] {
  return alias.includes('(') ? [alias] : alias.split(';').map(name => name.trim())
}

function birthOf(element: XmlElement): string {
  // A date may have a time zone: 1958-01-01-05:00.
  const exact = textAt(element, 'DATE').slice(0, 'YYYY-MM-DD'.length) || textAt(element, 'YEAR')
  const range = betweenYears(textAt(element, 'FROM_YEAR'), textAt(element, 'TO_YEAR'))
  if (exact === '') return range || textAt(element, 'NOTE')
  return textAt(element, 'TYPE_OF_DATE') === 'APPROXIMATELY' ? `circa ${exact}` : exact
}
