import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { type BrandValues, brandValues } from '#shared/contract/brand.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'
import { picturePath } from '#shared/look.ts'
import { stylesheetOf } from './stylesheet.ts'

/** The product's own look. */
export const ownLook: BrandValues = { accent: null, logo: null }

/** The look in force, and since when; null while it is the product's own. */
export async function currentBrand(
  db: Kysely<Schema>,
): Promise<{ values: BrandValues; changedAt: Date | null }> {
  const row = await db
    .selectFrom('app.brand_versions')
    .select(['look', 'created_at'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? { values: brandValues.parse(row.look), changedAt: row.created_at } : notChanged
}

const notChanged = { values: ownLook, changedAt: null }

/** What documents need of the look in force; null for the product's own. */
export async function brandOnPages(db: Kysely<Schema>): Promise<CallData<typeof site>['brand']> {
  const { values } = await currentBrand(db)
  const sheet = stylesheetOf(values)
  return sheet && { stylesheet: sheet.path, pictures: picturesOf(values), icon: iconOf(values) }
}

/** The pictures that the stylesheet names. */
function picturesOf({ logo }: BrandValues): string[] {
  return logo === null ? [] : [logo.light, ...(logo.dark ? [logo.dark] : [])].map(picturePath)
}

/** A logo that is about square is also the icon of the browser's tabs. */
function iconOf({ logo }: BrandValues): string | null {
  if (logo === null) return null
  const { width, height } = logo.light
  return Math.max(width, height) <= squareness * Math.min(width, height) ? picturePath(logo.light) : null
}
const squareness = 1.1
