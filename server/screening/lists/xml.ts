import sax from 'sax'
import { UnreadableList } from './list.ts'

/** Published entries are far smaller, in at most 4 levels. */
const MAX_ENTRY_CHARACTERS = 2_000_000
const MAX_ENTRY_DEPTH = 16
/** What an element counts besides its characters, as even an empty one takes memory. */
const ELEMENT_CHARACTERS = 100

export type XmlElement = {
  name: string
  attributes: Map<string, string>
  text: string
  children: XmlElement[]
}

/**
 * @property title the file's name for people
 * @property parts what to do with each element at a path, such as 'list/entry'. It gets one at a time, whole. The file has no elements
 * besides these, those above them and those in them.
 */
export type XmlFormat = { title: string; parts: Record<string, (element: XmlElement) => void> }

/**
 * Reads an XML file of a published format part by part, without keeping it in memory.
 * @returns its root, with attributes only
 * @throws UnreadableList if it is another file, not well-formed, not in UTF-8, or has entities of its own
 */
export async function readXml(content: AsyncIterable<Uint8Array>, format: XmlFormat): Promise<XmlElement> {
  const reader = new XmlReader(format)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of content) reader.write(decoder.decode(bytes, { stream: true }))
    reader.write(decoder.decode())
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new UnreadableList('The file is not text in UTF-8.')
    }
    throw error
  }
  return reader.end()
}

/** An entity that is not one of XML's own five is an error, so nothing expands. */
const options = { trim: false, strictEntities: true }

class XmlReader {
  readonly #parser = sax.parser(true, options)
  readonly #title: string
  readonly #parts: ReadonlyMap<string, (element: XmlElement) => void>
  /** The paths above the parts, each of which a whole file has; the root comes first. */
  readonly #containers: ReadonlySet<string>
  readonly #found = new Set<string>()
  #root: XmlElement | undefined
  readonly #path: string[] = []
  /** The part that is being read, and what is open in it. */
  readonly #open: XmlElement[] = []
  #attributes = new Map<string, string>()
  #size = 0

  constructor({ title, parts }: XmlFormat) {
    this.#title = title
    this.#parts = new Map(Object.entries(parts))
    this.#containers = new Set(Object.keys(parts).flatMap(pathsAbove))
    this.#parser.onattribute = ({ name, value }) => this.#addAttribute(name, value)
    this.#parser.onopentag = ({ name }) => this.#enter(name)
    this.#parser.ontext = text => this.#addText(text)
    this.#parser.oncdata = text => this.#addText(text)
    this.#parser.onclosetag = () => this.#leave()
    this.#parser.ondoctype = refuseDeclaration
    this.#parser.onsgmldeclaration = refuseDeclaration
    this.#parser.onerror = error => {
      throw new UnreadableList(`The file is not well-formed XML: ${error.message.split('\n')[0]}.`)
    }
  }

  write(text: string): void {
    this.#parser.write(text)
  }

  end(): XmlElement {
    this.#parser.close()
    const missing = [...this.#containers].find(path => !this.#found.has(path))
    if (this.#root && missing === undefined) return this.#root
    throw new UnreadableList(`The file is not ${this.#title}: it has no <${missing?.split('/').at(-1)}>.`)
  }

  #addAttribute(name: string, value: string): void {
    // sax calls this method of the object in which it keeps attributes.
    if (name === 'hasOwnProperty') throw new UnreadableList(`The file has an attribute ${name}.`)
    this.#grow(name.length + value.length)
    this.#attributes.set(name, value)
  }

  #enter(name: string): void {
    const element: XmlElement = { name, attributes: this.#attributes, text: '', children: [] }
    this.#attributes = new Map()
    const parent = this.#open.at(-1)
    if (parent) {
      this.#grow(ELEMENT_CHARACTERS + name.length)
      if (this.#open.length === MAX_ENTRY_DEPTH) {
        throw tooLarge(`levels in one entry, at most ${MAX_ENTRY_DEPTH}`)
      }
      parent.children.push(element)
    } else if (!this.#parts.has(this.#pathTo(name))) {
      this.#enterContainer(element)
      return
    }
    this.#open.push(element)
  }

  #enterContainer(element: XmlElement): void {
    const path = this.#pathTo(element.name)
    if (!this.#containers.has(path)) throw this.#unexpected(path)
    if (this.#path.length === 0) {
      if (this.#root) throw new UnreadableList(`The file has a second root, <${path}>.`)
      this.#root = element
    }
    this.#found.add(path)
    this.#path.push(element.name)
    this.#size = 0
  }

  /** Texts come whole or in pieces. */
  #addText(text: string): void {
    const element = this.#open.at(-1)
    if (!element) return
    this.#grow(text.length)
    element.text += text
  }

  #leave(): void {
    const element = this.#open.pop()
    if (!element) this.#path.pop()
    if (!element || this.#open.length > 0) return
    this.#parts.get(this.#pathTo(element.name))?.(element)
    this.#size = 0
  }

  #pathTo(name: string): string {
    return [...this.#path, name].join('/')
  }

  #grow(characters: number): void {
    this.#size += characters
    if (this.#size > MAX_ENTRY_CHARACTERS) {
      throw tooLarge(`characters in one entry, at most ${MAX_ENTRY_CHARACTERS}`)
    }
  }

  #unexpected(path: string): UnreadableList {
    const [root] = this.#containers
    return new UnreadableList(
      path.includes('/')
        ? `The file has an element that ${this.#title} does not have: ${path}.`
        : `The file is not ${this.#title}: its root is <${path}>, not <${root}>.`,
    )
  }
}

/** 'a/b/c' to 'a' and 'a/b'. */
function pathsAbove(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, n) => names.slice(0, n + 1).join('/'))
}

function refuseDeclaration(): never {
  throw new UnreadableList('The file has a DOCTYPE or another declaration, which no published list has.')
}

function tooLarge(what: string): UnreadableList {
  return new UnreadableList(`The file has too many ${what}.`)
}

/** The elements at this path below an element. */
export function elementsAt(element: XmlElement, ...path: string[]): XmlElement[] {
  return path.reduce<XmlElement[]>(
    (above, name) => above.flatMap(({ children }) => children.filter(child => child.name === name)),
    [element],
  )
}

/** The texts of the elements at this path that have one, each on one line. */
export function textsAt(element: XmlElement, ...path: string[]): string[] {
  return elementsAt(element, ...path)
    .map(({ text }) => oneLine(text))
    .filter(text => text !== '')
}

/** The first text at this path, '' if there is none. */
export function textAt(element: XmlElement, ...path: string[]): string {
  return textsAt(element, ...path)[0] ?? ''
}

/** An attribute on one line, '' if there is none. */
export function attribute({ attributes }: XmlElement, name: string): string {
  return oneLine(attributes.get(name) ?? '')
}

/** Published files break and indent long texts. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
