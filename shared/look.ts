import { customProperties, paletteOf, type tokens } from './brand.ts'
import type { BrandValues, Picture } from './contract/brand.ts'

/** The folder of a look's files, at addresses of their content. */
export const brandFolder = '/brand'

export function picturePath({ file }: Picture): string {
  return `${brandFolder}/${file}.png`
}

type Property = [property: string, value: string]

/** A firm's look as custom properties, which tokens.css and `.wordmark` of base.css use. */
export function lookProperties(
  { accent, logo }: BrandValues,
  look: keyof typeof tokens,
  urlOf: (picture: Picture) => string = picturePath,
): Property[] {
  const colours = accent
    ? customProperties(paletteOf(look === 'light' ? accent.light : accent.dark, look))
    : []
  return logo ? [...colours, ...logoProperties(logo, look, urlOf)] : colours
}

function logoProperties(
  { light, dark, withName }: NonNullable<BrandValues['logo']>,
  look: keyof typeof tokens,
  urlOf: (picture: Picture) => string,
): Property[] {
  const picture = look === 'light' ? light : (dark ?? light)
  // Made for a light ground, it stands on one.
  const onPlate = look !== 'light' && dark === null
  return [
    ['--logo', `url("${urlOf(picture)}")`],
    ['--logo-content', '""'],
    ['--logo-ratio', `${picture.width}/${picture.height}`],
    ['--logo-plate', onPlate ? '#ffffff' : 'transparent'],
    ['--logo-padding', onPlate ? '0.25rem' : '0'],
    ['--wordmark-mark', 'none'],
    ['--wordmark-size', withName ? '0' : 'inherit'],
  ]
}
