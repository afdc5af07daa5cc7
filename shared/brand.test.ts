import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import {
  brandThemes,
  colourError,
  contrast,
  contrastsOf,
  customProperties,
  failingContrast,
  nearestUsable,
  ownAccents,
  paletteOf,
  parseColour,
  ratioInWords,
  tokens,
} from './brand.ts'

describe('contrast of WCAG 2.2', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.478],
    ['#333333', '#ffffff', 12.635],
    ['#767676', '#ffffff', 4.542],
    ['#949494', '#ffffff', 3.033],
    ['#ff0000', '#ffffff', 3.998],
    ['#0000ff', '#ffffff', 8.592],
    ['#00ff00', '#000000', 15.304],
    ['#808080', '#808080', 1],
  ])('[W-09] %s on %s is %d:1', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 3)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })

  test('[W-09] a ratio that does not suffice is never written as one that does', () => {
    expect(ratioInWords(4.499)).toBe('4.4:1')
    expect(ratioInWords(4.5)).toBe('4.5:1')
  })

  test('[W-09] a ratio has the decimal mark of the reader’s language', () => {
    languageFrom(() => 'de')
    expect(ratioInWords(4.5)).toBe('4,5:1')
    languageFrom(() => undefined)
  })
})

test('[W-09] the product’s own accents can be used', () => {
  for (const theme of brandThemes) expect(failingContrast(ownAccents[theme], theme)).toBeUndefined()
})

test('[W-09] a colour that fails is refused with its ratio and the nearest that passes', () => {
  expect(colourError('#f59e0b', 'light')).toMatch(
    /contrast is 1\.\d:1 in the light theme, and 4\.5:1 is needed\..* is #[0-9a-f]{6}\./,
  )
  expect(colourError('#17653a', 'dark')).toMatch(/in the dark theme/)
})

test.each(brandThemes)('[W-09] the nearest shade in the %s theme passes, and only just', theme => {
  const levels = [0, 51, 102, 153, 204, 255]
  const colours = levels.flatMap(red => levels.flatMap(green => levels.map(blue => [red, green, blue])))
  for (const channels of colours) {
    const colour = `#${channels.map(channel => channel.toString(16).padStart(2, '0')).join('')}`
    const nearest = nearestUsable(colour, theme)
    expect(failingContrast(nearest, theme), colour).toBeUndefined()
    if (failingContrast(colour, theme) === undefined) expect(nearest).toBe(colour)
    else
      expect(
        Math.min(...contrastsOf(nearest, theme).map(({ ratio, needed }) => ratio / needed)),
      ).toBeLessThan(1.1)
  }
})

test('[W-09] a typed colour is read with or without the sign, in any case', () => {
  expect(parseColour(' 1C3F94')).toBe('#1c3f94')
  expect(parseColour('#1c3f94')).toBe('#1c3f94')
  expect([parseColour('blue'), parseColour('#fff'), parseColour('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

/** Declarations of a selector's first block. */
function declarationsIn(file: string, selector: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../web/styles', file), 'utf8')
  return text.slice(text.indexOf(selector)).split('\n').slice(1, 40)
}

test.each([
  ['light', 'tokens.css', ':root {', ownAccents.light],
  ['dark', 'tokens.css', '@variant dark {', ownAccents.dark],
  ['night', 'site.css', '.night {', undefined],
] as const)('[W-09] the tokens of the %s look are those of its stylesheet', (look, file, selector, own) => {
  const lines = declarationsIn(file, selector).map(line => line.trim())
  const expected = own === undefined ? tokens[look] : { ...tokens[look], accent: own }
  for (const [property, value] of customProperties(expected))
    expect(lines).toContain(`${property}: ${value};`)
})

test('[W-09] everything that follows from an accent is a token of the stylesheet', () => {
  const lines = declarationsIn('tokens.css', ':root {').map(line => line.trim().split(':')[0])
  for (const [property] of customProperties(paletteOf('#17653a', 'light'))) expect(lines).toContain(property)
})
