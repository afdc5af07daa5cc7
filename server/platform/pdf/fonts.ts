import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import subset from 'subset-font'

/**
 * The letters of our PDFs: Inter, and for what it has not the Noto fonts of other scripts. Their packages have a font in
 * many files, each for some characters, compressed for the web and variable; PDF wants each as a plain TrueType font.
 */

/** text: running text; strong: headings and sums; figures: digits of one width. */
export type Face = 'text' | 'strong' | 'figures'

/** One file of a font, and which characters it is for. */
export type FontFile = { name: string; path: string; covers: (codePoint: number) => boolean }

/** The packages, each with the script that it is asked for: the ranges that they name have letters in them that they lack. */
const packages: readonly [name: string, script: RegExp | null][] = [
  ['inter', null],
  ['noto-sans-arabic', /\p{Script=Arabic}/u],
  ['noto-sans-hebrew', /\p{Script=Hebrew}/u],
  ['noto-sans-devanagari', /\p{Script=Devanagari}/u],
  ['noto-sans-thai', /\p{Script=Thai}/u],
  ['noto-sans-kr', /\p{Script=Hangul}/u],
  // Chinese, and kana with it.
  [
    'noto-sans-sc',
    /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|[\u3000-\u303f\u30fb\u30fc\uff00-\uffef]/u,
  ],
]

/** Weights, and what Inter does with letters beside each other. The less of it there is, the faster is every line set. */
const weights: Record<Face, number> = { text: 400, strong: 600, figures: 400 }
const interFeatures: Record<Face, string[]> = {
  text: ['kern', 'mark', 'mkmk', 'ccmp'],
  strong: ['kern', 'mark', 'mkmk', 'ccmp', 'tnum'],
  figures: ['tnum'],
}

const { resolve } = createRequire(import.meta.url)
let files: FontFile[] | undefined

/** All files, those that are asked first in front. */
function fontFiles(): FontFile[] {
  files ??= packages.flatMap(([name, script]) => {
    const folder = resolve(`@fontsource-variable/${name}/unicode.json`).replace(/unicode\.json$/, 'files/')
    const ranges = JSON.parse(readFileSync(resolve(`@fontsource-variable/${name}/unicode.json`), 'utf8'))
    // Of files that are for the same character the last one is the one meant (CSS Fonts, 4.5), Latin last of all.
    return Object.entries<string>(ranges)
      .reverse()
      .map(([part, range]) => {
        const file = `${name}-${part.replace(/[[\]]/g, '')}-wght-normal.woff2`
        return { name: file, path: `${folder}${file}`, covers: coverage(range, script) }
      })
  })
  return files
}

/** CSS's `unicode-range` as a question, within a script where one is given. */
function coverage(range: string, script: RegExp | null): FontFile['covers'] {
  const parts = range.split(',').map(part => {
    const [first = 0, last = first] = part
      .trim()
      .slice(2)
      .split('-')
      .map(digits => Number.parseInt(digits, 16))
    return [first, last] as const
  })
  return codePoint =>
    parts.some(([first, last]) => codePoint >= first && codePoint <= last) &&
    (script === null || script.test(String.fromCodePoint(codePoint)))
}

/** The file that has a character; undefined where none has. */
export function fontFileOf(codePoint: number): FontFile | undefined {
  return fontFiles().find(file => file.covers(codePoint))
}

/** Inter's Latin: what nearly every text is drawn with. */
export function latinFile(): FontFile {
  return fontFiles()[0]!
}

const made = new Map<string, Promise<Buffer>>()

/** A font file in a face, as TrueType; made once. */
export function trueType(file: FontFile, face: Face): Promise<Buffer> {
  const key = `${file.name} ${face}`
  const font = made.get(key) ?? makeTrueType(file, face)
  made.set(key, font)
  return font
}

async function makeTrueType({ name, path }: FontFile, face: Face): Promise<Buffer> {
  const font = await subset(await readFile(path), undefined, {
    targetFormat: 'truetype',
    keepAllGlyphs: true,
    variationAxes: { wght: weights[face] },
    ...(name.startsWith('inter') ? { keepFeatures: interFeatures[face] } : {}),
  })
  return Buffer.from(font)
}
