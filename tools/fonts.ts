import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import subset from 'subset-font'

/**
 * The two faces of every page. Their Latin files are split: a core with all that English text needs, which every page
 * loads, and the rest. `faces.css` states each file's characters, so a browser loads the rest only for a character
 * beyond the core (an accent in a name), never because the core loaded late.
 */

const FOLDER = join(import.meta.dirname, '../node_modules/.cache/fonts')
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join('')
const CORE = new Set(
  [...`${ASCII}\u00a0¡ª«°±·º»¿ÁÄÉÍÑÓÖÚÜ×ßáäéíñóöúü÷©–—‘’“”„•…€£−≤≥←↑→↓↗✓`].map(
    letter => letter.codePointAt(0) ?? 0,
  ),
)

const { resolve } = createRequire(import.meta.url)

const faces = [
  {
    name: 'inter',
    family: 'Inter',
    files: '@fontsource-variable/inter',
    latin: 'inter-latin-wght-normal.woff2',
    others: (subset: string) => `inter-${subset}-wght-normal.woff2`,
    axes: { wght: { min: 400, max: 600 } },
  },
  {
    // The cut for large sizes: thin hairlines, close letters.
    name: 'newsreader',
    family: 'Newsreader',
    files: '@fontsource-variable/newsreader',
    latin: 'newsreader-latin-standard-normal.woff2',
    others: (subset: string) => `newsreader-${subset}-opsz-normal.woff2`,
    axes: { opsz: 72, wght: { min: 400, max: 500 } },
  },
] as const
type Face = (typeof faces)[number]
type Cut = Face | typeof arabic

/** The face of Arabic documents, which have no letters of it outside of its file (styles/base.css). */
const arabic = {
  name: 'noto-sans-arabic',
  family: 'Noto Sans Arabic',
  files: '@fontsource-variable/noto-sans-arabic',
  latin: 'noto-sans-arabic-arabic-wght-normal.woff2',
  axes: { wght: { min: 400, max: 600 } },
} as const
/** Arabic's letters, marks and punctuation, and the marks of direction. */
const ARABIC = codePoints('U+0600-06FF,U+200C-200F')

/** Creates missing files: `faces.css`, and for each face `<name>.woff2` (the core) and `<name>-latin.woff2`; for Arabic one file. */
export async function makeFonts(): Promise<string> {
  await mkdir(FOLDER, { recursive: true })
  const rules = await Promise.all(faces.map(makeFace))
  await makeCut(arabic, arabic.name, ARABIC)
  const css = [...rules.flat(), rule(arabic, `./${arabic.name}.woff2`, ARABIC)]
  await writeFile(join(FOLDER, 'faces.css'), css.join('\n'))
  return FOLDER
}

/** One weight of a face as a TrueType font, for drawing without a browser. */
export async function staticFont(name: Face['name'], weight: number): Promise<Uint8Array> {
  const face = faces.find(one => one.name === name)!
  const text = String.fromCodePoint(...CORE)
  return await subset(await readFile(latinFile(face)), text, {
    targetFormat: 'truetype',
    variationAxes: { ...face.axes, wght: weight },
  })
}

/** The path of the face's whole Latin file. */
function latinFile({ files, latin }: Pick<Cut, 'files' | 'latin'>): string {
  return resolve(`${files}/files/${latin}`)
}

/** Returns the face's rules. */
async function makeFace(face: Face): Promise<string[]> {
  const { latin, ...others } = JSON.parse(readFileSync(resolve(`${face.files}/unicode.json`), 'utf8'))
  const rest = new Set([...codePoints(latin)].filter(point => !CORE.has(point)))
  await makeCut(face, face.name, CORE)
  await makeCut(face, `${face.name}-latin`, rest)
  return [
    rule(face, `./${face.name}.woff2`, CORE),
    rule(face, `./${face.name}-latin.woff2`, rest),
    ...Object.entries(others).map(([name, range]) => {
      return rule(face, `${face.files}/files/${face.others(name)}`, codePoints(String(range)))
    }),
  ]
}

/** The characters of one file. */
async function makeCut(face: Cut, name: string, letters: Set<number>): Promise<void> {
  const path = join(FOLDER, `${name}.woff2`)
  const stamp = join(FOLDER, `${name}.sha256`)
  const whole = await readFile(latinFile(face))
  const text = String.fromCodePoint(...letters)
  const hash = createHash('sha256').update(whole).update(text).update(JSON.stringify(face.axes)).digest('hex')
  if (existsSync(path) && existsSync(stamp) && (await readFile(stamp, 'utf8')) === hash) return
  await writeFile(path, await subset(whole, text, { targetFormat: 'woff2', variationAxes: face.axes }))
  await writeFile(stamp, hash)
}

/** `optional`: a font that loads after the page was drawn is used from the next page on, so that no line ever moves. */
function rule({ family, axes }: Cut, url: string, letters: Set<number>): string {
  return `@font-face {
  font-family: "${family}";
  font-display: optional;
  font-weight: ${axes.wght.min} ${axes.wght.max};
  src: url("${url}") format("woff2");
  unicode-range: ${unicodeRange(letters)};
}`
}

/** CSS's `unicode-range` as the characters it names. */
function codePoints(range: string): Set<number> {
  const points = new Set<number>()
  for (const part of range.split(',')) {
    const [first = 0, last = first] = part
      .trim()
      .slice(2)
      .split('-')
      .map(digits => Number.parseInt(digits, 16))
    for (let point = first; point <= last; point++) points.add(point)
  }
  return points
}

function unicodeRange(points: Set<number>): string {
  const runs: [number, number][] = []
  for (const point of [...points].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run && point === run[1] + 1) run[1] = point
    else runs.push([point, point])
  }
  const hex = (point: number) => point.toString(16).toUpperCase()
  return runs.map(([first, last]) => `U+${hex(first)}${first === last ? '' : `-${hex(last)}`}`).join(', ')
}
