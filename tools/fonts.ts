import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import subset from 'subset-font'

/**
 * The two faces of every page, cut down to what English text needs: together a third of their Latin files. A letter
 * beyond that (an accent in a name) is found in the whole file, which browsers then load besides (styles/fonts.css).
 */

const FOLDER = join(import.meta.dirname, '../node_modules/.cache/fonts')
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join('')
const CHARACTERS = `${ASCII}\u00a0©°±·×÷–—‘’“”•…€£−≤≥←↑→↓↗✓`

const faces = [
  {
    name: 'inter',
    file: '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
    axes: { wght: { min: 400, max: 600 } },
  },
  {
    // The cut for large sizes: thin hairlines, close letters.
    name: 'newsreader',
    file: '@fontsource-variable/newsreader/files/newsreader-latin-standard-normal.woff2',
    axes: { opsz: 72, wght: { min: 300, max: 500 } },
  },
] as const

/** Makes the files in node_modules/.cache/fonts that are not there yet, `inter.woff2` and `newsreader.woff2`. */
export async function makeFonts(): Promise<string> {
  await mkdir(FOLDER, { recursive: true })
  await Promise.all(faces.map(makeFace))
  return FOLDER
}

async function makeFace({ name, file, axes }: (typeof faces)[number]): Promise<void> {
  const path = join(FOLDER, `${name}.woff2`)
  const stamp = join(FOLDER, `${name}.sha256`)
  const whole = await readFile(createRequire(import.meta.url).resolve(file))
  const hash = createHash('sha256')
    .update(whole)
    .update(CHARACTERS)
    .update(JSON.stringify(axes))
    .digest('hex')
  if (existsSync(path) && existsSync(stamp) && (await readFile(stamp, 'utf8')) === hash) return
  const cut = await subset(whole, CHARACTERS, { targetFormat: 'woff2', variationAxes: axes })
  await writeFile(path, cut)
  await writeFile(stamp, hash)
}
