import { UnreadableList } from './list.ts'

/** Published records are far smaller. */
const MOST_CHARACTERS = 2_000_000

type Place = 'start' | 'plain' | 'quoted' | 'closed'

/**
 * Reads CSV (RFC 4180) record by record, without keeping the file in memory. Lines end with LF or CR LF.
 * @throws UnreadableList if it is not well-formed, ends within a record, or is not in UTF-8
 */
export async function* readCsv(content: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const reader = new CsvReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of content) yield* reader.read(decoder.decode(bytes, { stream: true }))
    yield* reader.read(decoder.decode())
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new UnreadableList('The file is not text in UTF-8.')
    }
    throw error
  }
  reader.end()
}

/** The values of a list within a field: `Ann;"Bob; the builder"`, also one with other quotation marks. */
export function valuesOf(field: string): string[] {
  return partsOf(field)
    .map(value => value.trim())
    .filter(value => value !== '')
}

function partsOf(field: string): string[] {
  const reader = new CsvReader(';')
  try {
    const values = reader.read(`${field}\n`).flat()
    reader.end()
    return values
  } catch {
    return field.split(';')
  }
}

class CsvReader {
  readonly #separator: string
  #record: string[] = []
  #field = ''
  #place: Place = 'start'
  #size = 0

  constructor(separator = ',') {
    this.#separator = separator
  }

  /** The records that end in this text. */
  read(text: string): string[][] {
    const records: string[][] = []
    for (const character of text) {
      this.#size += 1
      if (this.#size > MOST_CHARACTERS)
        throw new UnreadableList(
          `The file has too many characters in one record, at most ${MOST_CHARACTERS}.`,
        )
      if (this.#place === 'quoted') {
        if (character === '"') this.#place = 'closed'
        else this.#field += character
      } else if (character === this.#separator) this.#endField()
      else if (character === '\n') records.push(this.#endRecord())
      else this.#add(character)
    }
    return records
  }

  end(): void {
    if (this.#place !== 'start' || this.#record.length > 0)
      throw new UnreadableList('The file ends within a record.')
  }

  #add(character: string): void {
    if (character === '"') {
      if (this.#place === 'plain') throw new UnreadableList('The file has a quotation mark within a field.')
      // Of a closed field, it is one of two that stand for one.
      if (this.#place === 'closed') this.#field += character
      this.#place = 'quoted'
    } else if (this.#place === 'closed') {
      if (character !== '\r') throw new UnreadableList('The file has text after a quoted field.')
    } else {
      this.#place = 'plain'
      this.#field += character
    }
  }

  #endField(): void {
    this.#record.push(this.#place === 'plain' ? this.#field.replace(/\r$/, '') : this.#field)
    this.#field = ''
    this.#place = 'start'
  }

  #endRecord(): string[] {
    this.#endField()
    const record = this.#record
    this.#record = []
    this.#size = 0
    return record
  }
}
