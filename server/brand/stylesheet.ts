import { createHash } from 'node:crypto'
import type { tokens } from '#shared/brand.ts'
import type { BrandValues } from '#shared/contract/brand.ts'
import { brandFolder, lookProperties } from '#shared/look.ts'

export type BrandSheet = { path: string; text: string }

/** The look as a stylesheet that follows the product's own, at an address of its content; null for the product's own look. */
export function stylesheetOf(values: BrandValues): BrandSheet | null {
  if (values.accent === null && values.logo === null) return null
  const text = rulesOf(values)
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return { path: `${brandFolder}/${hash}.css`, text }
}

/** For the same elements as tokens.css and `.night` of site.css. */
function rulesOf(values: BrandValues): string {
  const dark = declarations(values, 'dark')
  return `:root{${declarations(values, 'light')}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme="light"]){${dark}}}
@media screen{:root[data-theme="dark"]{${dark}}.night{${declarations(values, 'night')}}}
`
}

function declarations(values: BrandValues, look: keyof typeof tokens): string {
  return lookProperties(values, look)
    .map(([property, value]) => `${property}:${value}`)
    .join(';')
}
