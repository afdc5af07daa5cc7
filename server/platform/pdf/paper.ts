import PDFDocument from 'pdfkit'
import { type Language, languages } from '#shared/i18n/languages.ts'
import { type Face, type FontFile, fontFileOf, latinFile, trueType } from './fonts.ts'
import { inOrder, isRightToLeft, runsOf, wrap } from './runs.ts'

/** How a text is set: sizes and positions in points (1/72 inch), from the page's top left corner. */
export type Style = { face?: Face; size: number; color?: string }
type Place = { x: number; baseline: number; align?: 'left' | 'right' }

type About = { title: string; author: string; language: Language }

type Element = PDFKit.PDFStructureElement
/** A part's role for screen readers: a heading, a table's cell … (ISO 32000, 14.8.4). */
export type Tag = 'H1' | 'H2' | 'P' | 'Table' | 'TR' | 'TH' | 'TD'

export const page = { width: 595.28, height: 841.89 } as const

const other = { left: 'right', right: 'left' } as const

const faces: readonly Face[] = ['text', 'strong', 'figures']

/**
 * A PDF of A4 pages, tagged for screen readers, with embedded fonts. Text has fixed positions; nothing flows. In a language
 * that runs from right to left, pages are mirrored: `x` counts from the right edge, and what was left is right.
 */
export class Paper {
  readonly #doc: PDFKit.PDFDocument
  readonly #chunks: Buffer[] = []
  /** The open part, and its ancestors. */
  readonly #open: Element[] = []
  readonly #isMirrored: boolean
  /** What the open part says. */
  #written: string[] = []
  #pages = 0

  private constructor({ title, author, language }: About) {
    this.#isMirrored = languages[language].direction === 'rtl'
    this.#doc = new PDFDocument({
      size: [page.width, page.height],
      margin: 0,
      autoFirstPage: false,
      bufferPages: true,
      pdfVersion: '1.7',
      tagged: true,
      lang: language,
      displayTitle: true,
      info: { Title: title, Author: author },
    })
    this.#doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  /** @param texts everything that will be written: its letters decide which fonts are loaded */
  static async for(texts: string, about: About): Promise<Paper> {
    const paper = new Paper(about)
    const latin = latinFile()
    const letters = new Set(texts.normalize('NFC'))
    const files = new Set([latin, ...[...letters].map(letter => fontFileOf(letter.codePointAt(0)!) ?? latin)])
    for (const file of files) {
      // Its digits are in Latin; the rest equals body text.
      for (const face of file === latin ? faces : (['text', 'strong'] as const)) {
        paper.#doc.registerFont(nameOf(file, face), await trueType(file, face))
      }
    }
    return paper
  }

  get pages(): number {
    return this.#pages
  }

  addPage(): void {
    this.#doc.addPage()
    this.#pages += 1
  }

  /** Writes on existing pages. */
  onEachPage(write: (pageNumber: number) => void): void {
    for (let place = 0; place < this.#pages; place++) {
      this.#doc.switchToPage(place)
      write(place + 1)
    }
  }

  /** Opens a part for what `fill` adds to it. */
  group(tag: Tag, fill: () => void): void {
    const element = this.#doc.struct(tag)
    this.#attach(element)
    this.#open.push(element)
    fill()
    this.#open.pop()
    element.end()
  }

  /** Writes a whole part. */
  part(tag: Tag, write: () => void, { scope }: { scope?: 'Column' } = {}): void {
    const content = this.#doc.markStructureContent(tag)
    this.#written = []
    write()
    this.#doc.endMarkedContent()
    const said = this.#written.join(' ')
    // Its glyphs stand in another order than they are read (ISO 32000, 14.9.4).
    const actual = this.#isMirrored && isRightToLeft(said) ? { actual: said } : {}
    // The types do not know a header cell's scope yet.
    this.#attach(
      this.#doc.struct(
        tag,
        { ...actual, ...(scope === undefined ? {} : { scope }) } as never,
        content as never,
      ),
    )
  }

  /** Writes repeated page elements or decoration, which screen readers skip. */
  artifact(write: () => void): void {
    this.#doc.markContent('Artifact')
    write()
    this.#doc.endMarkedContent()
  }

  #attach(element: Element): void {
    const parent = this.#open.at(-1)
    if (parent) parent.add(element)
    else this.#doc.addStructure(element)
  }

  /** One line; `x` is its left end, or its right one; in a mirrored page the other one. */
  write(text: string, { x, baseline, align = 'left' }: Place, style: Style): void {
    this.#doc.fillColor(style.color ?? 'black')
    const [edge, side] = this.#isMirrored ? [page.width - x, other[align]] : [x, align]
    let left = side === 'left' ? edge : edge - this.measure(text, style)
    this.#written.push(text)
    for (const run of this.#prepare(text, style)) {
      run.use()
      this.#doc.text(run.text, left, baseline, run.options)
      left += this.#doc.widthOfString(run.text, run.options)
    }
  }

  measure(text: string, style: Style): number {
    let width = 0
    for (const run of this.#prepare(text, style)) {
      run.use()
      width += this.#doc.widthOfString(run.text, run.options)
    }
    return width
  }

  wrap(text: string, width: number, style: Style): string[] {
    return wrap(text, width, part => this.measure(part, style))
  }

  /** The text in runs of one font, each with its pdfkit options. */
  #prepare(text: string, { face = 'text', size }: Style) {
    const latin = latinFile()
    const runs = this.#isMirrored && isRightToLeft(text) ? inOrder(text) : runsOf(text)
    return runs.map(({ text, file }) => {
      const isFigures = face === 'figures' && file === latin
      const name = nameOf(file, face === 'figures' && !isFigures ? 'text' : face)
      // With a list, even an empty one, a run is shaped as a whole, so right-to-left words keep their order.
      const features: PDFKit.Mixins.OpenTypeFeatures[] | undefined =
        isFigures || (face === 'strong' && /\d/.test(text))
          ? ['tnum']
          : file.name.startsWith('inter')
            ? undefined
            : []
      return {
        text,
        use: () => this.#doc.font(name, size),
        options: { lineBreak: false, baseline: 'alphabetic', ...(features ? { features } : {}) } as const,
      }
    })
  }

  rule(y: number, [from, to]: readonly [number, number], color: string, thickness = 0.5): void {
    const [start, end] = this.#isMirrored ? [page.width - to, page.width - from] : [from, to]
    this.#doc.moveTo(start, y).lineTo(end, y).lineWidth(thickness).strokeColor(color).stroke()
  }

  box([x, y, width, height]: readonly [number, number, number, number], color: string): void {
    const left = this.#isMirrored ? page.width - x - width : x
    this.#doc.rect(left, y, width, height).lineWidth(1).strokeColor(color).stroke()
  }

  /** The whole file. */
  async finish(): Promise<Buffer> {
    const ended = new Promise<void>(resolve => this.#doc.on('end', resolve))
    this.#doc.end()
    await ended
    return Buffer.concat(this.#chunks)
  }
}

function nameOf({ name }: FontFile, face: Face): string {
  return `${name} ${face}`
}
