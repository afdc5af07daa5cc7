import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { riskLine } from '#shared/plans.ts'
import { demonstrationNotice, linkPictureWords } from '#shared/product.ts'
import { balance } from '#web/components/balance.ts'
import { staticFont } from './fonts.ts'

/**
 * Pictures for others: link previews (Open Graph), and icons for browsers and phones. All are drawn from the mark
 * (web/icon.svg), the balance drawing, the colour tokens and the site's own faces.
 */

const WEB = join(import.meta.dirname, '../web')
const FOLDER = join(import.meta.dirname, '../node_modules/.cache/pictures')
const STAMP = join(FOLDER, 'pictures.sha256')

const { resolve } = createRequire(import.meta.url)

/** Pixels. */
const CARD = { width: 1200, height: 630 }
const ICO_SIZES = [16, 32, 48]
/** The font's own family name. */
const DISPLAY_FACE = 'Newsreader 16pt'
const SVG = 'http://www.w3.org/2000/svg'

type Picture = { svg: string; width: number }
type Colors = Record<string, string>

/**
 * Draws missing pictures: `card.png`, `card-demonstration.png`, `icon-<size>.png`, `maskable-<size>.png`,
 * `apple-touch-icon.png`, and `public/favicon.ico`, which browsers request without being asked to.
 */
export async function makePictures(): Promise<string> {
  const pictures = await allPictures()
  const renderer = await readFile(resolve('@resvg/resvg-wasm/index_bg.wasm'))
  const stamp = createHash('sha256').update(JSON.stringify(pictures)).update(renderer).digest('hex')
  if (existsSync(STAMP) && (await readFile(STAMP, 'utf8')) === stamp) return FOLDER
  await mkdir(join(FOLDER, 'public'), { recursive: true })
  const draw = await openDrawing(renderer)
  for (const [name, picture] of Object.entries(pictures)) {
    await writeFile(join(FOLDER, `${name}.png`), draw(picture))
  }
  const icons = ICO_SIZES.map(width => ({ width, png: draw({ ...pictures['icon-32'], width }) }))
  await writeFile(join(FOLDER, 'public/favicon.ico'), icoOf(icons))
  await writeFile(STAMP, stamp)
  return FOLDER
}

async function allPictures() {
  const colors = await lightColors()
  const mark = await markPaths()
  return {
    card: { svg: card(colors, mark), width: CARD.width },
    'card-demonstration': { svg: card(colors, mark, demonstrationNotice), width: CARD.width },
    'icon-32': { svg: icon(colors, mark), width: 32 },
    'icon-192': { svg: icon(colors, mark), width: 192 },
    'icon-512': { svg: icon(colors, mark), width: 512 },
    // Launchers crop these, to a circle at most: the mark stays within four fifths of the side.
    'maskable-192': { svg: tile(colors, mark), width: 192 },
    'maskable-512': { svg: tile(colors, mark), width: 512 },
    'apple-touch-icon': { svg: tile(colors, mark), width: 180 },
  } satisfies Record<string, Picture>
}

/** The tokens of the light theme, by their names without dashes. */
async function lightColors(): Promise<Colors> {
  const css = await readFile(join(WEB, 'styles/tokens.css'), 'utf8')
  const light = /:root \{(.*?)\}/s.exec(css)?.[1] ?? ''
  const tokens = light.matchAll(/--([\w-]+): (#[\da-f]{6});/g)
  return Object.fromEntries([...tokens].map(([, name, value]) => [name, value]))
}

async function markPaths(): Promise<string> {
  const svg = await readFile(join(WEB, 'icon.svg'), 'utf8')
  return [...svg.matchAll(/<path[^>]*>/g)].join('')
}

function icon(colors: Colors, mark: string): string {
  return `<svg xmlns="${SVG}" viewBox="0 0 24 24" fill="${colors.accent}">${mark}</svg>`
}

function tile(colors: Colors, mark: string): string {
  return `<svg xmlns="${SVG}" viewBox="0 0 24 24">
    <path fill="${colors.accent}" d="M0 0h24v24H0z"/>
    <g fill="${colors.paper}" transform="translate(5.16 5.16) scale(.57)">${mark}</g>
  </svg>`
}

/** The link preview. In a demonstration, the notice is at the top, as on every page. */
function card(colors: Colors, mark: string, notice = ''): string {
  const { width, height } = CARD
  const lines = linkPictureWords.split(/ (?=you)/)
  return `<svg xmlns="${SVG}" viewBox="0 0 ${width} ${height}" fill="${colors.ink}">
    <path fill="${colors.paper}" d="M0 0h${width}v${height}H0z"/>
    <g transform="translate(668 56) scale(.96)" fill="none" stroke-linejoin="round">
      ${balanceLines(colors)}
    </g>
    <g transform="translate(72 98) scale(1.75)" fill="${colors.accent}">${mark}</g>
    <g font-family="${DISPLAY_FACE}" font-size="98" letter-spacing="-1.8">
      ${lines.map((line, place) => `<text x="69" y="${284 + place * 94}">${line}</text>`).join('')}
    </g>
    <text x="72" y="562" font-family="Inter" font-size="23" fill="${colors['ink-faint']}">${riskLine}</text>
    ${notice && noticeStrip(colors, notice)}
  </svg>`
}

function balanceLines(colors: Colors): string {
  const { left, right, entry } = balance
  const ends = entry.ends.map(({ cx, cy }) => `<circle cx="${cx}" cy="${cy}" r="5"/>`).join('')
  return `<path stroke="${colors.ink}" d="${left}"/>
    <path stroke="${colors['ink-faint']}" d="${right}"/>
    <path stroke="${colors.accent}" stroke-width="2.5" d="${entry.lines}"/>
    <path stroke="${colors.accent}" stroke-dasharray="2 4" d="${entry.link}"/>
    <g fill="${colors.accent}">${ends}</g>`
}

function noticeStrip(colors: Colors, notice: string): string {
  return `<path fill="${colors['wait-soft']}" d="M0 0h${CARD.width}v48H0z"/>
    <text x="600" y="32" text-anchor="middle" font-family="Inter" font-weight="600" font-size="22" fill="${colors.wait}">${notice}</text>`
}

async function openDrawing(renderer: Uint8Array<ArrayBuffer>): Promise<(picture: Picture) => Uint8Array> {
  await initWasm(renderer).catch((error: Error) => {
    // `npm run dev` reads its configuration again in the same process.
    if (!error.message.startsWith('Already initialized')) throw error
  })
  const fontBuffers = await Promise.all([
    staticFont('inter', 400),
    staticFont('inter', 600),
    staticFont('newsreader', 400),
  ])
  return ({ svg, width }) => {
    const drawing = new Resvg(svg, { font: { fontBuffers }, fitTo: { mode: 'width', value: width } })
    return drawing.render().asPng()
  }
}

/** Pictures of several sizes in one file, each as PNG, which the format has allowed since Windows Vista. */
function icoOf(icons: { width: number; png: Uint8Array }[]): Uint8Array {
  const header = Buffer.alloc(6 + 16 * icons.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(icons.length, 4)
  let offset = header.length
  icons.forEach(({ width, png }, place) => {
    const entry = 6 + 16 * place
    header.writeUInt8(width, entry)
    header.writeUInt8(width, entry + 1)
    header.writeUInt16LE(1, entry + 4)
    header.writeUInt16LE(32, entry + 6)
    header.writeUInt32LE(png.length, entry + 8)
    header.writeUInt32LE(offset, entry + 12)
    offset += png.length
  })
  return Buffer.concat([header, ...icons.map(({ png }) => png)])
}
