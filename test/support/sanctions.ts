import { importList } from '#server/screening/import.ts'
import { screenPeople } from '#server/screening/screen.ts'
import type { World } from './world.ts'

/**
 * An entry of OFAC's list, in texts of XML. Wallets have the symbol under which OFAC lists them, aliases their category.
 * @property births '15 Mar 1965', 'circa 1965', '1965'
 */
export type SdnEntry = {
  uid: number
  first?: string
  last: string
  type?: 'Individual' | 'Entity' | 'Vessel' | 'Aircraft'
  wallets?: [symbol: string, address: string][]
  aliases?: [category: 'strong' | 'weak', last: string, first?: string][]
  births?: string[]
  nationality?: string
  citizenship?: string
}

/** A small SDN.XML in exactly the published format. */
export function sdnXml(
  entries: readonly SdnEntry[],
  { day = '11/20/2026', count = entries.length } = {},
): string {
  return `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">
  <publshInformation>
    <Publish_Date>${day}</Publish_Date>
    <Record_Count>${count}</Record_Count>
  </publshInformation>
${entries.map(sdnEntryXml).join('\n')}
</sdnList>
`
}

function sdnEntryXml(entry: SdnEntry): string {
  const { uid, first, last, type = first === undefined ? 'Entity' : 'Individual' } = entry
  const { wallets = [], aliases = [], births = [], nationality, citizenship } = entry
  const ids = wallets.map(
    ([symbol, address]) =>
      `<idType>Digital Currency Address - ${symbol}</idType><idNumber>${address}</idNumber>`,
  )
  const passport = '<idType>Passport</idType><idNumber>750 123 456</idNumber><idCountry>Russia</idCountry>'
  const akas = aliases.map(
    ([category, family, given]) =>
      `<type>a.k.a.</type><category>${category}</category><lastName>${family}</lastName>${optional('firstName', given)}`,
  )
  const countryOf = (country: string | undefined) =>
    country === undefined ? [] : [`<country>${country}</country><mainEntry>true</mainEntry>`]
  const dates = births.map((date, n) => `<dateOfBirth>${date}</dateOfBirth><mainEntry>${n === 0}</mainEntry>`)
  return `  <sdnEntry>
    <uid>${uid}</uid>${optional('firstName', first)}
    <lastName>${last}</lastName>
    <sdnType>${type}</sdnType>
    <programList>
      <program>CYBER2</program>
    </programList>${[
      sdnList('idList', 'id', [passport, ...ids]),
      sdnList('akaList', 'aka', akas),
      sdnList('nationalityList', 'nationality', countryOf(nationality)),
      sdnList('citizenshipList', 'citizenship', countryOf(citizenship)),
      sdnList('dateOfBirthList', 'dateOfBirthItem', dates),
    ].join('')}
  </sdnEntry>`
}

/** Present if it has items. Each item begins with a number of its own. */
function sdnList(name: string, item: string, contents: readonly string[]): string {
  if (contents.length === 0) return ''
  const items = contents.map(
    (content, n) => `
      <${item}>
        <uid>${n + 1}</uid>${content.replaceAll(/<(?!\/)/g, '\n        <')}
      </${item}>`,
  )
  return `
    <${name}>${items.join('')}
    </${name}>`
}

function optional(name: string, text: string | undefined): string {
  return text === undefined ? '' : `\n    <${name}>${text}</${name}>`
}

/**
 * An entry of the United Nations' list, in texts of XML.
 * @property names the parts of the name, one to four
 * @property births each with its elements, such as TYPE_OF_DATE and DATE
 */
export type UnEntry = {
  reference: string
  kind?: 'person' | 'organisation'
  names: string[]
  list?: string
  script?: string
  aliases?: [quality: string, name: string][]
  births?: Record<string, string>[]
  nationalities?: string[]
}

/** A small consolidated.xml in exactly the published format. */
export function unXml(
  entries: readonly UnEntry[],
  { generated = '2026-11-20T23:00:02.141Z' }: { generated?: string } = {},
): string {
  const of = (wanted: UnEntry['kind']) => entries.filter(({ kind = 'person' }) => kind === wanted)
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CONSOLIDATED_LIST xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://www.un.org/sc/resources/sc-sanctions.xsd" dateGenerated="${generated}">
  <INDIVIDUALS>${of('person')
    .map(entry => unEntryXml(entry, 'INDIVIDUAL'))
    .join('')}
  </INDIVIDUALS>
  <ENTITIES>${of('organisation')
    .map(entry => unEntryXml(entry, 'ENTITY'))
    .join('')}
  </ENTITIES>
</CONSOLIDATED_LIST>
`
}

const unNames = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']

function unEntryXml(entry: UnEntry, element: 'INDIVIDUAL' | 'ENTITY'): string {
  const { reference, names, list = 'Al-Qaida', script, births = [{ TYPE_OF_DATE: '' }] } = entry
  const { nationalities = [], aliases = [['', '']] } = entry
  const akas = aliases.map(([quality, name]) =>
    unElement(`${element}_ALIAS`, { QUALITY: quality, ALIAS_NAME: name }),
  )
  const values = nationalities.map(value => `<VALUE>${value}</VALUE>`).join('')
  const personal = [
    ...births.map(birth => unElement('INDIVIDUAL_DATE_OF_BIRTH', birth)),
    unElement('INDIVIDUAL_PLACE_OF_BIRTH', { COUNTRY: '' }),
    '\n      <INDIVIDUAL_DOCUMENT/>',
  ]
  return `
    <${element}>
      <DATAID>6907993</DATAID>
      <VERSIONNUM>1</VERSIONNUM>${names.map((name, n) => unElement(unNames[n]!, name)).join('')}
      <UN_LIST_TYPE>${list}</UN_LIST_TYPE>${unElement('REFERENCE_NUMBER', reference)}
      <LISTED_ON>2012-12-31</LISTED_ON>${script === undefined ? '' : unElement('NAME_ORIGINAL_SCRIPT', script)}
      <COMMENTS1>INTERPOL-UN Security Council Special Notice web link: https://www.interpol.int/</COMMENTS1>${
        values === '' ? '' : unElement('NATIONALITY', values)
      }
      <LIST_TYPE>
        <VALUE>UN List</VALUE>
      </LIST_TYPE>
      <LAST_DAY_UPDATED>
        <VALUE/>
      </LAST_DAY_UPDATED>${akas.join('')}
      <${element}_ADDRESS>
        <COUNTRY/>
      </${element}_ADDRESS>${element === 'INDIVIDUAL' ? personal.join('') : ''}
      <SORT_KEY/>
      <SORT_KEY_LAST_MOD/>
    </${element}>`
}

/** An element with a text, or with elements, which have none as they are published: <QUALITY/>. */
function unElement(name: string, content: string | Record<string, string>): string {
  if (content === '') return `\n      <${name}/>`
  if (typeof content === 'string') return `\n      <${name}>${content}</${name}>`
  const children = Object.entries(content).map(([child, text]) => unElement(child, text))
  return `\n      <${name}>${children.join('')}\n      </${name}>`
}

/**
 * An entry of the European Union's list, in values of attributes.
 * @property births each with its attributes, such as birthdate and year
 */
export type EuEntry = {
  reference?: string
  logicalId: number
  kind?: 'person' | 'enterprise'
  programme?: string
  names: { first?: string; middle?: string; last?: string; whole?: string; strong?: boolean }[]
  births?: Record<string, string>[]
  citizenships?: string[]
}

/** A small xmlFullSanctionsList_1_1 in exactly the published format. */
export function euXml(
  entries: readonly EuEntry[],
  { generated = '2026-11-20T16:47:04.449+01:00' }: { generated?: string } = {},
): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="${generated}" globalFileId="184961">
${entries.map(euEntryXml).join('\n')}
</export>
`
}

function euEntryXml({ logicalId, names, births = [], citizenships = [], ...entry }: EuEntry): string {
  const { reference, kind = 'person', programme = 'TAQA' } = entry
  const details = [
    ...names.map(({ first = '', middle = '', last = '', whole = '', strong = true }) =>
      euDetail('nameAlias', {
        firstName: first,
        middleName: middle,
        lastName: last,
        wholeName: whole,
        function: '',
        title: '',
        nameLanguage: '',
        strong: String(strong),
      }),
    ),
    ...citizenships.map(country =>
      euDetail('citizenship', { region: '', countryIso2Code: '00', countryDescription: country }),
    ),
    ...births.map(birth =>
      euDetail('birthdate', {
        circa: 'false',
        calendarType: 'GREGORIAN',
        city: '',
        zipCode: '',
        ...birth,
        region: '',
        place: '',
        countryIso2Code: '00',
        countryDescription: 'UNKNOWN',
      }),
    ),
  ]
  const ids = `${reference === undefined ? '' : `euReferenceNumber="${reference}" `}logicalId="${logicalId}"`
  return `    <sanctionEntity designationDetails="" unitedNationId="" ${ids}>
        <remark>UNSC RESOLUTION 1483</remark>
        <regulation regulationType="amendment" organisationType="council" publicationDate="2018-03-22" entryIntoForceDate="2018-03-23" numberTitle="2018/468 (OJ L79)" programme="${programme}" logicalId="111226">
            <publicationUrl>http://eur-lex.europa.eu/legal-content/EN/TXT/PDF/?uri=CELEX:32018R0468&amp;from=EN</publicationUrl>
        </regulation>
        <subjectType code="${kind}" classificationCode="${kind === 'person' ? 'P' : 'E'}"/>${details.join('')}
    </sanctionEntity>`
}

function euDetail(name: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`)
  return `
        <${name} ${written.join(' ')} regulationLanguage="en" logicalId="17">
            <regulationSummary regulationType="amendment" publicationDate="2018-03-22" numberTitle="2018/468 (OJ L79)" publicationUrl="http://eur-lex.europa.eu/"/>
        </${name}>`
}

/** The bytes of a text, in pieces of this size. */
export async function* inPieces(text: string, size = 1_000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

/** Puts a list with these entries in force, and compares everyone's name with it unless a test does so. */
export async function importSdn(
  { services }: Pick<World, 'services'>,
  entries: readonly SdnEntry[],
  { compares = true, ...options }: { day?: string; count?: number; compares?: boolean } = {},
) {
  const outcome = await importList(services, 'ofac_sdn', inPieces(sdnXml(entries, options)))
  if (compares) await screenPeople(services)
  return outcome
}

export function importUn(
  { services }: Pick<World, 'services'>,
  entries: readonly UnEntry[],
  options: { generated?: string } = {},
) {
  return importList(services, 'un_sc', inPieces(unXml(entries, options)))
}

export function importEu(
  { services }: Pick<World, 'services'>,
  entries: readonly EuEntry[],
  options: { generated?: string } = {},
) {
  return importList(services, 'eu_fsf', inPieces(euXml(entries, options)))
}

/** A politically exposed person of a file in OpenSanctions' format; several values of a field are joined by semicolons. */
export type PepEntry = {
  id: string
  name: string
  schema?: string
  aliases?: string
  birth?: string
  countries?: string
  dataset?: string
  seen?: string
}

const pepColumns = [
  'id',
  'schema',
  'name',
  'aliases',
  'birth_date',
  'countries',
  'addresses',
  'identifiers',
  'sanctions',
  'phones',
  'emails',
  'program_ids',
  'dataset',
  'first_seen',
  'last_seen',
  'last_change',
]

/** A small targets.simple.csv in exactly the published format. */
export function pepCsv(entries: readonly PepEntry[], { day = '2026-11-20' }: { day?: string } = {}): string {
  const line = (fields: readonly string[]) =>
    `${fields.map(field => `"${field.replaceAll('"', '""')}"`).join(',')}\n`
  const rows = entries.map(({ id, name, schema = 'Person', seen = `${day}T06:00:00`, ...entry }) =>
    line([
      id,
      schema,
      name,
      entry.aliases ?? '',
      entry.birth ?? '',
      entry.countries ?? 'xx',
      '',
      '',
      '',
      '',
      '',
      '',
      entry.dataset ?? 'World Leaders',
      '2023-04-20T10:00:00',
      seen,
      '2024-01-02T10:00:00',
    ]),
  )
  return [line(pepColumns), ...rows].join('')
}

/** Puts a list of politically exposed persons in force, and compares everyone's name with it unless a test does so. */
export async function importPeps(
  { services }: Pick<World, 'services'>,
  entries: readonly PepEntry[],
  { compares = true, ...options }: { day?: string; compares?: boolean } = {},
) {
  const outcome = await importList(services, 'pep', inPieces(pepCsv(entries, options)))
  if (compares) await screenPeople(services)
  return outcome
}
