import { type FontFile, fontFileOf, latinFile } from './fonts.ts'

/** A part of a text that one font file draws. */
export type Run = { text: string; file: FontFile }

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Replaces a letter that no font has. */
const missing = '?'

/** A text in runs of one font file each; spaces between two runs are a run of their own. */
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
    // Words of one script are drawn together with their spaces, because some scripts run from right to left.
    if (spaces !== '') add(spaces, runs.at(-1)?.file === file && file ? file : latin)
    spaces = ''
    add(file ? segment : missing, file ?? latin)
  }
  if (spaces !== '') add(spaces, latin)
  return runs
}

/**
 * A text in lines of at most `width`: broken at spaces, and inside words that are wider.
 * @param measure width of a text
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
