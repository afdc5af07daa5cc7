import { Paper, page, type Style } from '#server/platform/pdf/paper.ts'
import { demonstrationNotice } from '#shared/product.ts'
import { sampleFirm } from './firm.ts'

/** A sample document: the evidence of a return, or what a person of the sample proves their identity with. */
export type SampleDocument = {
  /** 'Dividend notice' */
  title: string
  facts: readonly (readonly [name: string, value: string])[]
  /** What it stands for, below its facts. */
  note?: string
}

const left = 48
const value = left + 130
const width = page.width - 2 * left
const mark: Style = { face: 'strong', size: 9, color: '#7a4a00' }
const heading: Style = { face: 'strong', size: 20, color: '#15171c' }
const label: Style = { size: 10, color: '#646974' }
const text: Style = { size: 10, color: '#15171c' }
const evidenceNote =
  'This document belongs to the demonstration. The company and the payment are fictional. In a live firm, this is the paper by which the return can be checked: a bank confirmation, a notice or a completion statement.'

/** The document as PDF, marked as part of the demonstration (D2). */
export async function drawDocument({ title, facts, note = evidenceNote }: SampleDocument): Promise<Buffer> {
  const author = sampleFirm.legalName
  const about = { title, author, language: 'en' } as const
  const paper = await Paper.for(JSON.stringify([title, facts, demonstrationNotice, note]), about)
  paper.addPage()
  paper.part('P', () => paper.write(demonstrationNotice, { x: left, baseline: 60 }, mark))
  paper.part('H1', () => paper.write(title, { x: left, baseline: 104 }, heading))
  let baseline = 150
  for (const [name, words] of facts) {
    paper.part('P', () => {
      paper.write(name, { x: left, baseline }, label)
      paper.write(words, { x: value, baseline }, text)
    })
    baseline += 22
  }
  paper.part('P', () => {
    for (const line of paper.wrap(note, width, label)) {
      baseline += 15
      paper.write(line, { x: left, baseline }, label)
    }
  })
  return paper.finish()
}
