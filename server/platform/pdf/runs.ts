import { type FontFile, fontFileOf, latinFile } from './fonts.ts'

/** A part of a text that one font file draws. */
export type Run = { text: string; file: FontFile }

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Stands for a letter that no font has. */
const missing = '?'

/** A text in parts of one font file each; spaces between two parts are a part of their own. */
export function runsOf(text: string): Run[] {
  const latin = latinFile()
  if (/^[ -~]+$/.test(text)) return [{ text, file: latin }]
  const runs: Run[] = []
  const add = (text: string, file: FontFile) => {
    const last = runs.at(-1)
    if (last?.file === file) last.text += text
    else runs.push({ text, file })
  }
  let spaces = ''
  for (const { segment } of clusters.segment(text.normalize('NFC'))) {
    if (segment.trim() === '') {
      spaces += segment
      continue
    }
    const file = fontFileOf(segment.codePointAt(0)!)
    // Words of one script are drawn together, with the spaces between them: some are written from right to left.
    if (spaces !== '') add(spaces, runs.at(-1)?.file === file && file ? file : latin)
    spaces = ''
    add(file ? segment : missing, file ?? latin)
  }
  if (spaces !== '') add(spaces, latin)
  return runs
}

/**
 * A text in lines that are no wider than `width`: broken at spaces, and within what is wider than a line.
 * @param measure how wide a text is drawn
 */
export function wrap(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = []
  let line = ''
  const put = (piece: string) => {
    if (line !== '' && measure(line + piece.trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += piece
  }
  for (const word of text.split(/(?<=\s)/)) {
    if (measure(word.trimEnd()) <= width) put(word)
    else for (const { segment } of clusters.segment(word)) put(segment)
  }
  return [...lines, line.trimEnd()].filter((part, place) => part !== '' || place === 0)
}
