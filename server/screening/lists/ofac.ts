import {
  isDay,
  type ListedEntry,
  listedEntry,
  months,
  type SanctionsFile,
  sanctionsFile,
  UnreadableList,
} from './list.ts'
import { elementsAt, readXml, textAt, textsAt, type XmlElement } from './xml.ts'

/** '…Address - XBT', '- ETH', '- USDT' and so on: an address of one coin is the same wallet in any other of its network. */
const WALLET = 'Digital Currency Address'

const kinds = new Map<string, ListedEntry['kind']>([
  ['Individual', 'person'],
  ['Entity', 'organisation'],
  ['Vessel', 'vessel'],
  ['Aircraft', 'aircraft'],
])

/**
 * Reads OFAC's Specially Designated Nationals list as published (SDN.XML), without keeping the file in memory.
 * @throws UnreadableList if it is another file, not well-formed, or has another number of entries than it states
 */
export async function readOfac(content: AsyncIterable<Uint8Array>): Promise<SanctionsFile> {
  const entries: ListedEntry[] = []
  let publishedOn = ''
  let count = ''
  await readXml(content, {
    title: 'SDN.XML',
    parts: {
      // OFAC's spelling.
      'sdnList/publshInformation': head => {
        publishedOn = isoDay(textAt(head, 'Publish_Date'))
        count = textAt(head, 'Record_Count')
      },
      'sdnList/sdnEntry': element => entries.push(entryOf(element)),
    },
  })
  if (entries.length !== Number(count)) {
    throw new UnreadableList(`The file has ${entries.length} entries, but states ${count || 'none'}.`)
  }
  return sanctionsFile(publishedOn, entries)
}

/** MM/DD/YYYY to YYYY-MM-DD. */
function isoDay(stated: string): string {
  return stated.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, '$3-$1-$2')
}

function entryOf(element: XmlElement): ListedEntry {
  const aliases = elementsAt(element, 'akaList', 'aka').map(alias => ({
    name: nameOf(alias),
    isWeak: textAt(alias, 'category') === 'weak',
  }))
  const ids = elementsAt(element, 'idList', 'id')
  return listedEntry({
    entry: textAt(element, 'uid'),
    kind: kinds.get(textAt(element, 'sdnType')),
    names: [nameOf(element), ...aliases.filter(({ isWeak }) => !isWeak).map(({ name }) => name)],
    weak: aliases.filter(({ isWeak }) => isWeak).map(({ name }) => name),
    births: textsAt(element, 'dateOfBirthList', 'dateOfBirthItem', 'dateOfBirth').map(isoBirth),
    countries: [
      ...textsAt(element, 'nationalityList', 'nationality', 'country'),
      ...textsAt(element, 'citizenshipList', 'citizenship', 'country'),
    ],
    programmes: textsAt(element, 'programList', 'program'),
    wallets: ids.filter(id => textAt(id, 'idType').startsWith(WALLET)).map(id => textAt(id, 'idNumber')),
  })
}

function nameOf(element: XmlElement): string {
  return [...textsAt(element, 'firstName'), ...textsAt(element, 'lastName')].join(' ')
}

/** '15 Mar 1965' to 1965-03-15. Others, such as '1965', 'Mar 1965' and '1965 to 1968', stay. */
function isoBirth(stated: string): string {
  const [, day, month, year] = /^(\d{2}) (\w{3}) (\d{4})$/.exec(stated) ?? []
  if (day === undefined || month === undefined) return stated
  const iso = `${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day}`
  return isDay(iso) ? iso : stated
}
