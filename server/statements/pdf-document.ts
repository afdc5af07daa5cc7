import { inLanguage } from '#server/platform/language.ts'
import { Paper, page, type Style } from '#server/platform/pdf/paper.ts'

import type { Language } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'

/** A document about an account as finished text, since the drawing worker formats no money or times. */
export type StatementDocument = {
  language: Language
  title: string
  /** The mark on every page of a demonstration. */
  mark: string | null
  firm: { name: string; lines: string[] }
  /** Labels and values: owner, period, time of creation. */
  facts: [name: string, value: string][]
  /** For each account and in total: name, opening balance, in, out, closing balance; empty in a letter. */
  summary: [name: string, opening: string, came: string, went: string, closing: string][]
  notes: string[]
  /** The public log's head, at the end. */
  head: string | null
  /** Amounts that add up to a total, between the summary and the accounts. */
  tables: { name: string; empty: string; rows: Row[]; total: string }[]
  accounts: {
    name: string
    opening: [day: string, balance: string]
    closing: [day: string, balance: string]
    lines: (Row & { balance: string })[]
  }[]
}

type Row = { at: string; what: string; number: string; note: string | null; amount: string }

const margin = 48
const left = margin
const right = page.width - margin
const ink = '#15171c'
const soft = '#474b55'
const faint = '#646974'
const line = '#d9d5cb'
const accent = '#1c3f94'

const body: Style = { size: 8, color: ink }
const small: Style = { size: 7, color: faint }
const figures: Style = { ...body, face: 'figures' }
const strong: Style = { ...body, face: 'strong' }

/** The left edges of an account table's columns; right edges for the last two. */
const columns = { at: left, what: 132, number: 292, amount: 454, balance: right }
const columnHeads = [msg('Date'), msg('What'), msg('Number'), msg('Amount'), msg('Balance')] as const
/** Tables of amounts without a balance. */
const tableHeads = [msg('Date'), msg('What'), msg('Number'), msg('Amount')] as const
/** With the columns' heads all that is written besides the document's own words: their letters choose the fonts. */
const otherLabels = () => [
  t('Summary'),
  t('Account'),
  t('Opening balance'),
  t('In', {}, 'money in'),
  t('Out', {}, 'money out'),
  t('Closing balance'),
  t('Total'),
]
/** The edges of the columns; the last one ends at the margin. */
const endsOf = (heads: readonly string[]) => [
  ...Object.values(columns).slice(0, heads.length - 1),
  columns.balance,
]
/** Right edges of the summary's figures. */
const summaryEnds = [255, 350, 445, right]
/** Line heights of small text and of table rows. */
const smallStep = 9.5
const rowStep = 15

/** Draws the statement as PDF. */
export function drawStatement(document: StatementDocument): Promise<Buffer> {
  return inLanguage(document.language, () => draw(document))
}

async function draw(document: StatementDocument): Promise<Buffer> {
  const labels = [...columnHeads.map(label => translate(label)), ...otherLabels()].join('')
  const texts = JSON.stringify(document) + labels + pageWords(1, 1)
  const paper = await Paper.for(texts, {
    language: document.language,
    title: `${document.title}, ${document.firm.name}`,
    author: document.firm.name,
  })
  const drawing = new Drawing(paper, document)
  drawing.letterhead()
  drawing.facts()
  if (document.summary.length > 0) drawing.summary()
  drawing.notes()
  for (const table of document.tables) drawing.table(table)
  for (const account of document.accounts) drawing.account(account)
  drawing.head()
  drawing.finishPages()
  return paper.finish()
}

function pageWords(page: number, pages: number): string {
  return t('Page {page} of {pages}', { page, pages })
}

class Drawing {
  readonly #paper: Paper
  readonly #document: StatementDocument
  readonly #identity: string[]
  readonly #bottom: number
  #y = 0

  constructor(paper: Paper, document: StatementDocument) {
    this.#paper = paper
    this.#document = document
    paper.addPage()
    const identity = [document.firm.name, ...document.firm.lines].join(' · ')
    this.#identity = paper.wrap(identity, right - left, small)
    this.#bottom = page.height - margin - (this.#identity.length + 1) * smallStep - 8
    this.#y = this.#top()
  }

  /** Leaves room for the demonstration's mark. */
  #top(): number {
    return this.#document.mark === null ? margin : margin + 26
  }

  #newPage(): void {
    this.#paper.addPage()
    this.#y = this.#top()
  }

  /** Starts a new page if this much does not fit; returns true if it did. */
  #need(height: number): boolean {
    if (this.#y + height <= this.#bottom) return false
    this.#newPage()
    return true
  }

  letterhead(): void {
    const head: Style = { face: 'strong', size: 15, color: ink }
    this.#paper.part('H1', () => {
      this.#paper.write(this.#document.title, { x: left, baseline: this.#y + 15 }, { ...head, size: 20 })
    })
    this.#y += 34
    this.#paper.part('P', () => {
      for (const part of this.#paper.wrap(this.#document.firm.name, right - left, head)) {
        this.#paper.write(part, { x: left, baseline: this.#y + 11 }, { ...head, size: 11, color: accent })
        this.#y += 14
      }
      for (const part of this.#document.firm.lines.flatMap(of => this.#paper.wrap(of, right - left, body))) {
        this.#paper.write(part, { x: left, baseline: this.#y + 9 }, { ...body, color: soft })
        this.#y += 12
      }
    })
    this.#y += 10
    this.#rule()
  }

  facts(): void {
    const value = left + 84
    this.#y += 6
    for (const [name, words] of this.#document.facts) {
      this.#paper.part('P', () => {
        this.#paper.write(name, { x: left, baseline: this.#y + 9 }, { ...body, color: faint })
        for (const part of this.#paper.wrap(words, right - value, body)) {
          this.#paper.write(part, { x: value, baseline: this.#y + 9 }, body)
          this.#y += 13
        }
      })
    }
    this.#y += 16
  }

  summary(): void {
    const ends = [
      t('Opening balance'),
      t('In', {}, 'money in'),
      t('Out', {}, 'money out'),
      t('Closing balance'),
    ]
    this.#heading(t('Summary'))
    this.#paper.group('Table', () => {
      this.#paper.group('TR', () => {
        this.#cell('TH', t('Account'), left, { ...small, face: 'strong' })
        ends.forEach((head, place) => {
          this.#cell('TH', head, summaryEnds[place]!, { ...small, face: 'strong' }, 'right')
        })
      })
      this.#endRow(line)
      this.#document.summary.forEach(([name, ...amounts], place) => {
        const isLast = place > 0 && place === this.#document.summary.length - 1
        this.#paper.group('TR', () => {
          this.#cell('TD', name, left, isLast ? strong : body)
          amounts.forEach((amount, n) => {
            this.#cell('TD', amount, summaryEnds[n]!, isLast ? strong : figures, 'right')
          })
        })
        this.#endRow(isLast ? ink : line)
      })
    })
    this.#y += 4
  }

  notes(): void {
    for (const note of this.#document.notes) this.#paragraph(note)
    this.#y += 12
  }

  table({ name, empty, rows, total }: StatementDocument['tables'][number]): void {
    // Keeps a heading together with its first lines.
    this.#need(26 + 4 * rowStep)
    this.#heading(name)
    if (rows.length === 0) this.#paragraph(empty)
    else
      this.#paper.group('Table', () => {
        this.#heads(tableHeads)
        for (const row of rows) this.#line(row, tableHeads)
        if (this.#need(rowStep)) this.#heads(tableHeads)
        this.#paper.group('TR', () => {
          this.#cell('TD', t('Total'), columns.what, strong)
          this.#cell('TD', total, columns.balance, strong, 'right')
        })
        this.#endRow(ink)
      })
    this.#y += 18
  }

  account({ name, opening, closing, lines }: StatementDocument['accounts'][number]): void {
    // Keeps a heading together with its first lines.
    this.#need(26 + 4 * rowStep)
    this.#heading(name)
    this.#paper.group('Table', () => {
      this.#heads(columnHeads)
      this.#balance(t('Opening balance'), opening)
      for (const of of lines) this.#line(of, columnHeads)
      this.#balance(t('Closing balance'), closing)
    })
    this.#y += 18
  }

  /** For comparison with what others were shown. */
  head(): void {
    if (this.#document.head !== null) this.#paragraph(this.#document.head)
  }

  #heads(heads: readonly string[]): void {
    const style: Style = { ...small, face: 'strong' }
    const ends = endsOf(heads)
    this.#paper.group('TR', () => {
      heads.forEach((head, place) => {
        this.#cell('TH', translate(head), ends[place]!, style, place < 3 ? 'left' : 'right')
      })
    })
    this.#endRow(ink)
  }

  #balance(name: string, [day, balance]: [string, string]): void {
    if (this.#need(rowStep)) this.#heads(columnHeads)
    this.#paper.group('TR', () => {
      this.#cell('TD', day, columns.at, strong)
      this.#cell('TD', name, columns.what, strong)
      this.#cell('TD', balance, columns.balance, strong, 'right')
    })
    this.#endRow(line)
  }

  #line(
    { at, what, number, note, amount, balance }: Row & { balance?: string },
    heads: readonly string[],
  ): void {
    const noted = note === null ? [] : this.#paper.wrap(note, columns.amount - 90 - columns.what, small)
    if (this.#need(rowStep + noted.length * smallStep)) this.#heads(heads)
    this.#paper.group('TR', () => {
      this.#cell('TD', at, columns.at, figures)
      this.#paper.part('TD', () => {
        this.#paper.write(what, { x: columns.what, baseline: this.#y + 10 }, body)
        noted.forEach((part, n) => {
          const baseline = this.#y + 10 + (n + 1) * smallStep
          this.#paper.write(part, { x: columns.what, baseline }, small)
        })
      })
      this.#cell('TD', number, columns.number, body)
      const [end, last] = endsOf(heads).slice(3)
      this.#cell('TD', amount, end!, figures, 'right')
      if (balance !== undefined) this.#cell('TD', balance, last!, figures, 'right')
    })
    this.#y += noted.length * smallStep
    this.#endRow(line)
  }

  #cell(tag: 'TH' | 'TD', text: string, x: number, style: Style, align: 'left' | 'right' = 'left'): void {
    const write = () => this.#paper.write(text, { x, baseline: this.#y + 10, align }, style)
    this.#paper.part(tag, write, tag === 'TH' ? { scope: 'Column' } : {})
  }

  #endRow(color: string): void {
    this.#y += rowStep
    this.#paper.artifact(() => this.#paper.rule(this.#y, [left, right], color))
  }

  #heading(words: string): void {
    this.#paper.part('H2', () => {
      this.#paper.write(words, { x: left, baseline: this.#y + 11 }, { ...strong, size: 11 })
    })
    this.#y += 18
  }

  #paragraph(words: string): void {
    const parts = this.#paper.wrap(words, right - left, small)
    this.#need(parts.length * smallStep)
    this.#paper.part('P', () => {
      for (const part of parts) {
        this.#paper.write(part, { x: left, baseline: this.#y + 8 }, small)
        this.#y += smallStep
      }
    })
  }

  #rule(): void {
    this.#paper.artifact(() => this.#paper.rule(this.#y, [left, right], line))
    this.#y += 6
  }

  /** On every page: the demonstration's mark, the firm and the page number. */
  finishPages(): void {
    const { mark } = this.#document
    const last = page.height - margin
    this.#paper.onEachPage(number => {
      this.#paper.artifact(() => {
        if (mark !== null) {
          this.#paper.box([left, margin - 12, right - left, 22], ink)
          this.#paper.write(mark, { x: left + 10, baseline: margin + 3 }, { ...strong, size: 9.5 })
        }
        const first = last - this.#identity.length * smallStep
        this.#paper.rule(first - smallStep, [left, right], line)
        this.#identity.forEach((part, n) => {
          this.#paper.write(part, { x: left, baseline: first + n * smallStep }, small)
        })
        this.#paper.write(this.#document.title, { x: left, baseline: last }, small)
        const of = pageWords(number, this.#paper.pages)
        this.#paper.write(of, { x: right, baseline: last, align: 'right' }, { ...small, face: 'strong' })
      })
    })
  }
}
