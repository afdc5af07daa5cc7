import { importList } from '#server/screening/import.ts'
import type { World } from './world.ts'

/** An entry of OFAC's list with wallets, each with the symbol under which OFAC lists it. */
export type SdnEntry = {
  uid: number
  first?: string
  last: string
  wallets?: [symbol: string, address: string][]
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
${entries.map(entryXml).join('\n')}
</sdnList>
`
}

function entryXml({ uid, first, last, wallets = [] }: SdnEntry): string {
  const ids = wallets.map(
    ([symbol, address], n) => `
      <id>
        <uid>${uid}${n}</uid>
        <idType>Digital Currency Address - ${symbol}</idType>
        <idNumber>${address}</idNumber>
      </id>`,
  )
  return `  <sdnEntry>
    <uid>${uid}</uid>${first === undefined ? '' : `\n    <firstName>${first}</firstName>`}
    <lastName>${last}</lastName>
    <sdnType>${first === undefined ? 'Entity' : 'Individual'}</sdnType>
    <programList>
      <program>CYBER2</program>
    </programList>
    <idList>
      <id>
        <uid>${uid}9</uid>
        <idType>Passport</idType>
        <idNumber>750 123 456</idNumber>
        <idCountry>Russia</idCountry>
      </id>${ids.join('')}
    </idList>
    <akaList>
      <aka>
        <uid>7</uid>
        <type>a.k.a.</type>
        <category>strong</category>
        <lastName>ANOTHER NAME</lastName>
      </aka>
    </akaList>
  </sdnEntry>`
}

/** The bytes of a text, in pieces of this size. */
export async function* inPieces(text: string, size = 1_000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

/** Puts a list with these entries in force. */
export function importSdn(
  { services }: Pick<World, 'services'>,
  entries: readonly SdnEntry[],
  options: { day?: string; count?: number } = {},
) {
  return importList(services, 'ofac_sdn', inPieces(sdnXml(entries, options)))
}
