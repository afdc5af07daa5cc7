import { perLanguage } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'

/** The colours of the product's look, and how far a firm may change them (WCAG 2.2, 1.4.3 and 1.4.11). */

export const brandThemes = ['light', 'dark'] as const
export type BrandTheme = (typeof brandThemes)[number]

/** Lower case, as a colour field of a browser has it. */
export const colourPattern = /^#[0-9a-f]{6}$/

type Tokens = Record<'paper' | 'surface' | 'sunken' | 'ink' | 'inkSoft' | 'rule' | 'edge', string>

/** Grounds and text of each theme (web/styles/tokens.css); the dark accent also stands on the public pages' dark sections. */
export const tokens: Record<BrandTheme | 'night', Tokens> = {
  light: {
    paper: '#fbfaf7',
    surface: '#ffffff',
    sunken: '#f3f1eb',
    ink: '#15171c',
    inkSoft: '#474b55',
    rule: '#e1ddd4',
    edge: '#878a91',
  },
  dark: {
    paper: '#0f1115',
    surface: '#161920',
    sunken: '#0a0c0f',
    ink: '#edebe6',
    inkSoft: '#b9bbc2',
    rule: '#292d36',
    edge: '#6c727e',
  },
  night: {
    paper: '#101a33',
    surface: '#16213e',
    sunken: '#0c142a',
    ink: '#f2f0ea',
    inkSoft: '#c0c6d6',
    rule: '#2b3757',
    edge: '#75809c',
  },
}

/** The product's own accents, of web/styles/tokens.css. */
export const ownAccents: Accents = { light: '#1c3f94', dark: '#a3baf6' }

export type Accents = Record<BrandTheme, string>

/** What follows from an accent: the tokens of web/styles/tokens.css of these names. */
export type Palette = { accent: string; accentStrong: string; accentSoft: string; onAccent: string }

const black = '#000000'
const white = '#ffffff'

export function paletteOf(accent: string, look: keyof typeof tokens): Palette {
  const { surface, sunken } = tokens[look]
  const isLight = look === 'light'
  return {
    accent,
    accentStrong: isLight ? mixed(accent, black, 0.25) : mixed(accent, white, 0.35),
    accentSoft: mixed(surface, accent, isLight ? 0.1 : 0.16),
    onAccent: isLight ? white : sunken,
  }
}

/** Tokens as the custom properties of their names: accentSoft is --accent-soft. */
export function customProperties(values: Record<string, string>): [property: string, value: string][] {
  return Object.entries(values).map(([name, value]) => [
    `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`,
    value,
  ])
}

/** A colour as somebody types it, with or without the sign; undefined if it is none. */
export function parseColour(text: string): string | undefined {
  const colour = `#${text.trim().replace(/^#/, '').toLowerCase()}`
  return colourPattern.test(colour) ? colour : undefined
}

/** One use of the accent: the lowest ratio of all grounds that it stands on. */
export type Contrast = { use: ContrastUse; ratio: number; needed: number }
export type ContrastUse = 'text' | 'button' | 'focus'

/** WCAG 2.2: 1.4.3 for text, 1.4.11 for what shows the focus. */
const needed: Record<ContrastUse, number> = { text: 4.5, button: 4.5, focus: 3 }

/** The contrast of an accent wherever the pages use it in this theme. */
export function contrastsOf(accent: string, theme: BrandTheme): Contrast[] {
  const looks = theme === 'light' ? (['light'] as const) : (['dark', 'night'] as const)
  const found = looks.map(look => {
    const { accentStrong, accentSoft, onAccent } = paletteOf(accent, look)
    const { paper, surface, sunken, ink } = tokens[look]
    const grounds = [paper, surface, sunken]
    return {
      text: [
        ...[...grounds, accentSoft].map(ground => contrast(accent, ground)),
        contrast(accentStrong, accentSoft),
        contrast(ink, accentSoft),
      ],
      button: [contrast(onAccent, accent), contrast(onAccent, accentStrong)],
      focus: grounds.map(ground => contrast(accent, ground)),
    }
  })
  return (Object.keys(needed) as ContrastUse[]).map(use => ({
    use,
    ratio: Math.min(...found.flatMap(ratios => ratios[use])),
    needed: needed[use],
  }))
}

/** The use that fails by most; undefined if the colour can be used. */
export function failingContrast(accent: string, theme: BrandTheme): Contrast | undefined {
  const failing = contrastsOf(accent, theme).filter(({ ratio, needed }) => ratio < needed)
  return failing.toSorted((one, other) => one.ratio / one.needed - other.ratio / other.needed)[0]
}

/** Shades that are tried between a colour and black or white. */
const SHADES = 256

/** The nearest shade of this colour that can be used: the colour itself if it can. */
export function nearestUsable(accent: string, theme: BrandTheme): string {
  for (let shade = 0; shade < SHADES; shade++) {
    const tried = mixed(accent, theme === 'light' ? black : white, shade / SHADES)
    if (failingContrast(tried, theme) === undefined) return tried
  }
  return ownAccents[theme]
}

const tenths = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)

/** A ratio as people write it, never rounded up to one that would suffice. */
export function ratioInWords(ratio: number): string {
  return `${tenths().format(Math.floor(ratio * 10) / 10)}:1`
}

/** What is wrong with a colour, in a sentence; undefined if it can be used. */
export function colourError(accent: string, theme: BrandTheme): string | undefined {
  const failing = failingContrast(accent, theme)
  if (failing === undefined) return undefined
  const [ratio, needed] = [ratioInWords(failing.ratio), ratioInWords(failing.needed)]
  const nearest = nearestUsable(accent, theme)
  return theme === 'light'
    ? t(
        'This colour’s contrast is {ratio} in the light theme, and {needed} is needed. The nearest shade that can be read is {nearest}.',
        { ratio, needed, nearest },
      )
    : t(
        'This colour’s contrast is {ratio} in the dark theme, and {needed} is needed. The nearest shade that can be read is {nearest}.',
        { ratio, needed, nearest },
      )
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** Relative luminance of an sRGB colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map(channel => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function channels(colour: string): number[] {
  return [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
}

/** @param share of the second colour, 0 to 1 */
function mixed(one: string, other: string, share: number): string {
  const to = channels(other)
  const parts = channels(one).map((from, at) => Math.round(from + (to[at]! - from) * share))
  return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`
}
