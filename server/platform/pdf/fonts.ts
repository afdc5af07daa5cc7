import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import subset from 'subset-font'

/**
 * The fonts of our PDFs: Inter, with Noto fonts for other scripts. Their packages have many files per font, each for
 * some characters, compressed for the web and variable; PDF needs plain TrueType.
 */

/** text: body text; strong: headings and sums; figures: digits of equal width. */
export type Face = 'text' | 'strong' | 'figures'

/** One font file, and its characters. */
export type FontFile = { name: string; path: string; covers: (codePoint: number) => boolean }

/** The packages, each limited to its script: their ranges claim letters that they lack. */
const packages: readonly [name: string, script: RegExp | null][] = [
  ['inter', null],
  // With the punctuation that it shares with other scripts.
  ['noto-sans-arabic', /\p{Script_Extensions=Arabic}/u],
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

/** Weights, and Inter's features for adjacent letters. The fewer features, the faster each line. */
const weights: Record<Face, number> = { text: 400, strong: 600, figures: 400 }
const interFeatures: Record<Face, string[]> = {
  text: ['kern', 'mark', 'mkmk', 'ccmp'],
  strong: ['kern', 'mark', 'mkmk', 'ccmp', 'tnum'],
  figures: ['tnum'],
}

const { resolve } = createRequire(import.meta.url)
let files: FontFile[] | undefined

/** All files, in order of preference. */
function fontFiles(): FontFile[] {
  files ??= packages.flatMap(([name, script]) => {
    const folder = resolve(`@fontsource-variable/${name}/unicode.json`).replace(/unicode\.json$/, 'files/')
    const ranges = JSON.parse(readFileSync(resolve(`@fontsource-variable/${name}/unicode.json`), 'utf8'))
    // If several files have a character, the last one applies (CSS Fonts, 4.5); Latin comes last of all.
    return Object.entries<string>(ranges)
      .reverse()
      .map(([part, range]) => {
        const file = `${name}-${part.replace(/[[\]]/g, '')}-wght-normal.woff2`
        return { name: file, path: `${folder}${file}`, covers: coverage(range, script) }
      })
  })
  return files
}

/** Tests CSS's `unicode-range`, limited to a script if one is given. */
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

/** The file that has a character; undefined if none has. */
export function fontFileOf(codePoint: number): FontFile | undefined {
  return fontFiles().find(file => file.covers(codePoint))
}

/** Inter's Latin, which draws nearly every text. */
export function latinFile(): FontFile {
  return fontFiles()[0]!
}

const made = new Map<string, Promise<Buffer>>()

/** A font file as TrueType in one face; created once. */
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
