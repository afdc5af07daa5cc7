import type { Accents } from '#shared/brand.ts'
import type { BrandValues } from '#shared/contract/brand.ts'
import { t } from '#shared/i18n/t.ts'

/** A look's colours; null is the product's own. */
export function Swatches({ accent }: { accent: Accents | null }) {
  if (accent === null) return t('The product’s own', {}, 'colours')
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-4 gap-y-1">
      <Swatch colour={accent.light}>{t('Light')}</Swatch>
      <Swatch colour={accent.dark}>{t('Dark')}</Swatch>
    </span>
  )
}

function Swatch({ colour, children }: { colour: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-2 tabular-nums">
      {children}
      <svg viewBox="0 0 16 16" aria-hidden="true" className="size-4 rounded-sm border border-edge">
        <rect width="16" height="16" fill={colour} />
      </svg>
      <bdi>{colour}</bdi>
    </span>
  )
}

export function LogoWords({ logo }: Pick<BrandValues, 'logo'>) {
  if (logo === null) return t('The product’s own', {}, 'a logo')
  const { light, dark, withName } = logo
  const { width, height } = light
  if (dark && withName)
    return t('Your own, {width} × {height} pixels, another in the dark theme, with your name in it', {
      width,
      height,
    })
  if (dark)
    return t('Your own, {width} × {height} pixels, another in the dark theme, beside your name', {
      width,
      height,
    })
  return withName
    ? t('Your own, {width} × {height} pixels, with your name in it', { width, height })
    : t('Your own, {width} × {height} pixels, beside your name', { width, height })
}
