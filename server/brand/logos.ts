import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { wholeFile } from '#server/platform/whole-file.ts'
import type { BrandValues, Picture } from '#shared/contract/brand.ts'
import type { UploadedFile } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { logoTypes } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { rewritten } from './png.ts'

/**
 * Stores a logo for a look about to be proposed, once however often it is uploaded.
 * @throws AppError invalid_input
 */
export async function storeLogo(tx: Tx, ctx: SignedInContext, upload: UploadedFile): Promise<Picture> {
  const { content, width, height } = rewritten(
    wholeFile(logoTypes, { name: 'logo', ...upload }, 'logo').content,
  )
  const sha256 = createHash('sha256').update(content).digest()
  const now = ctx.services.clock.now()
  await tx
    .insertInto('app.brand_logos')
    .values({ sha256, content, width, height, uploaded_by: ctx.caller.userId, uploaded_at: now })
    .onConflict(conflict => conflict.column('sha256').doUpdateSet({ uploaded_at: now }))
    .execute()
  const picture = { file: sha256.toString('hex'), width, height }
  await audit(tx, ctx, {
    action: 'brand.logo_uploaded',
    subject: { kind: 'logo', id: null },
    details: picture,
  })
  return picture
}

/** @throws AppError not_found */
export async function logoContent(db: Kysely<Schema>, file: string): Promise<Buffer> {
  const row = await db
    .selectFrom('app.brand_logos')
    .select('content')
    .where('sha256', '=', Buffer.from(file, 'hex'))
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', t('Logo not found'))
  return row.content
}

/** The pictures of a look. */
export function picturesOf({ logo }: BrandValues): Picture[] {
  return logo ? [logo.light, logo.dark].filter(picture => picture !== null) : []
}

/** @throws AppError invalid_input for a picture that was not uploaded */
export async function requireUploaded(tx: Tx, values: BrandValues): Promise<void> {
  for (const { file, width, height } of picturesOf(values)) {
    const found = await tx
      .selectFrom('app.brand_logos')
      .select('sha256')
      .where('sha256', '=', Buffer.from(file, 'hex'))
      .where('width', '=', width)
      .where('height', '=', height)
      .forKeyShare()
      .executeTakeFirst()
    if (found) continue
    const message = t('The logo is no longer there. Choose it again.')
    throw new AppError('invalid_input', message, { fields: { logo: message } })
  }
}

/** The content of a logo that is or was in force; undefined for any other, which nobody has approved. */
export async function publishedLogo(db: Kysely<Schema>, file: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('app.brand_logos as l')
    .select('l.content')
    .where('l.sha256', '=', Buffer.from(file, 'hex'))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('app.brand_versions as v')
          .select('v.version')
          .where(sql<boolean>`${file} IN (v.look #>> '{logo,light,file}', v.look #>> '{logo,dark,file}')`),
      ),
    )
    .executeTakeFirst()
  return row?.content
}
