import { type FontFile, fontFileOf, latinFile } from './fonts.ts'

/** A part of a text that one font file draws. */
export type Run = { text: string; file: FontFile }

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Replaces a letter that no font has. */
const missing = '?'

/** Marks of direction, which have no shape: `inOrder` decides. */
const marks = /[\u061c\u200e\u200f\u2066-\u2069]/g

/** A text in runs of one font file each; spaces between two runs are a run of their own. */
export function runsOf(text: string): Run[] {
  const latin = latinFile()
  if (/^[ -~]+$/.test(text)) return [{ text, file: latin }]
  const shown = text.replaceAll(marks, '').normalize('NFC')
  const runs: Run[] = []
  const add = (text: string, file: FontFile) => {
    const last = runs.at(-1)
    if (last?.file === file) last.text += text
    else runs.push({ text, file })
  }
  let spaces = ''
  for (const { segment } of clusters.segment(shown)) {
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

const rightToLeft = /[\p{Script_Extensions=Arabic}\p{Script=Hebrew}]/u
/** What runs from left to right in such a text: words in other letters, numbers, and what stands between them. */
const leftToRight =
  /(?![\p{Script_Extensions=Arabic}\p{Script=Hebrew}])[\p{L}\p{N}$€%+\-@#_](?:[^\p{Script_Extensions=Arabic}\p{Script=Hebrew}]*(?![\p{Script_Extensions=Arabic}\p{Script=Hebrew}])[\p{L}\p{N}$€%])?/gu
const mirrored: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '«': '»',
  '»': '«',
  '“': '”',
  '”': '“',
}

/** True if words of the text run from right to left. */
export function isRightToLeft(text: string): boolean {
  return rightToLeft.test(text)
}

/**
 * The runs of a line of a right-to-left text, in the order in which they stand on paper, from the left: a simple form of the
 * bidirectional algorithm (UAX #9), enough for sentences with names, numbers and amounts. A font that has such letters
 * orders those of a run itself.
 */
export function inOrder(line: string): Run[] {
  const text = line.replaceAll(marks, '').normalize('NFC')
  const parts: Run[][] = []
  const addRight = (part: string) => {
    for (const run of part === '' ? [] : runsOf(part)) {
      parts.push([isRightToLeft(run.text) ? run : { ...run, text: turned(run.text) }])
    }
  }
  let at = 0
  for (const match of text.matchAll(leftToRight)) {
    addRight(text.slice(at, match.index))
    parts.push(runsOf(match[0]))
    at = match.index + match[0].length
  }
  addRight(text.slice(at))
  return parts.reverse().flat()
}

function turned(text: string): string {
  return [...text]
    .reverse()
    .map(letter => mirrored[letter] ?? letter)
    .join('')
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
