import sax from 'sax'

/** A wallet as its list names it: the list's number of its owner, and their name. */
export type ListedWallet = { address: string; entry: string; name: string }

/** @property publishedOn YYYY-MM-DD */
export type SanctionsFile = { publishedOn: string; entries: number; wallets: ListedWallet[] }

/** A file that is not the whole of a list. */
export class UnreadableList extends Error {}

/** '…Address - XBT', '- ETH', '- USDT' and so on: an address of one coin is the same wallet in any other of its network. */
const WALLET = 'Digital Currency Address'

const HEAD = 'sdnList/publshInformation'
const ENTRY = 'sdnList/sdnEntry'
const ID = `${ENTRY}/idList/id`

/** What is read of the entry that the file is at. */
type Entry = { uid: string; first: string; last: string; wallets: string[] }

/**
 * Reads OFAC's Specially Designated Nationals list as published (SDN.XML, root `sdnList`), without keeping it in memory.
 * @throws UnreadableList if it is another file, not well-formed, or has another number of entries than it states
 */
export async function readSdn(content: AsyncIterable<Uint8Array>): Promise<SanctionsFile> {
  const reader = new SdnReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of content) reader.write(decoder.decode(bytes, { stream: true }))
    reader.write(decoder.decode())
    return reader.end()
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new UnreadableList('The file is not text in UTF-8.')
    }
    throw error
  }
}

/** An entity that is not one of XML's own five is an error, so nothing expands. */
const options = { trim: true, strictEntities: true }

class SdnReader {
  readonly #parser = sax.parser(true, options)
  readonly #path: string[] = []
  readonly #wallets: ListedWallet[] = []
  #publishedOn = ''
  #stated = ''
  #entries = 0
  #entry: Entry = nobody()
  #idType = ''
  #idNumber = ''

  constructor() {
    this.#parser.onopentag = ({ name }) => this.#open(name)
    this.#parser.ontext = text => this.#read(this.#path.join('/'), text)
    this.#parser.oncdata = text => this.#read(this.#path.join('/'), text)
    this.#parser.onclosetag = () => this.#close()
    this.#parser.onerror = error => {
      throw new UnreadableList(`The file is not well-formed XML: ${error.message.split('\n')[0]}.`)
    }
  }

  write(text: string): void {
    this.#parser.write(text)
  }

  end(): SanctionsFile {
    this.#parser.close()
    if (this.#stated === '' || this.#entries !== Number(this.#stated)) {
      throw new UnreadableList(`The file has ${this.#entries} entries, but states ${this.#stated || 'none'}.`)
    }
    return { publishedOn: dayOf(this.#publishedOn), entries: this.#entries, wallets: this.#wallets }
  }

  #open(name: string): void {
    if (this.#path.length === 0 && name !== 'sdnList') {
      throw new UnreadableList(`The file is not SDN.XML: its root is <${name}>, not <sdnList>.`)
    }
    this.#path.push(name)
  }

  /** Texts come whole or in parts. */
  #read(path: string, text: string): void {
    switch (path) {
      case `${HEAD}/Publish_Date`:
        this.#publishedOn += text
        return
      case `${HEAD}/Record_Count`:
        this.#stated += text
        return
      case `${ENTRY}/uid`:
        this.#entry.uid += text
        return
      case `${ENTRY}/firstName`:
        this.#entry.first += text
        return
      case `${ENTRY}/lastName`:
        this.#entry.last += text
        return
      case `${ID}/idType`:
        this.#idType += text
        return
      case `${ID}/idNumber`:
        this.#idNumber += text
    }
  }

  #close(): void {
    const path = this.#path.join('/')
    this.#path.pop()
    if (path === ID) {
      if (this.#idType.startsWith(WALLET)) this.#entry.wallets.push(this.#idNumber)
      this.#idType = ''
      this.#idNumber = ''
    }
    if (path !== ENTRY) return
    const { uid, first, last, wallets } = this.#entry
    const name = [first, last].filter(part => part !== '').join(' ')
    if (uid === '' || name === '' || wallets.includes('')) {
      throw new UnreadableList(
        `Entry ${uid || this.#entries + 1} of the file lacks a number, a name or an address.`,
      )
    }
    this.#wallets.push(...wallets.map(address => ({ address, entry: uid, name })))
    this.#entries++
    this.#entry = nobody()
  }
}

function nobody(): Entry {
  return { uid: '', first: '', last: '', wallets: [] }
}

/** MM/DD/YYYY to YYYY-MM-DD. */
function dayOf(stated: string): string {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(stated) ?? []
  const iso = `${year}-${month}-${day}`
  if (new Date(`${iso}T00:00Z`).toJSON()?.slice(0, 10) === iso) return iso
  throw new UnreadableList('The file does not state the day of its publication.')
}
