import type { Kysely, Selectable } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { type FirmProfile, firmProfile } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

type Mode = Pick<Config, 'mode'>
export type FirmRow = Selectable<Schema['app.firm_profiles']>

/** The profile version in force; undefined before the first. */
export function latestFirm(db: Kysely<Schema>, { mode }: Mode): Promise<FirmRow | undefined> {
  return db
    .selectFrom('app.firm_profiles')
    .selectAll()
    .where('mode', '=', mode)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * The firm's profile in force (decision 23).
 * @throws AppError not_ready until the demonstration's sample is loaded
 */
export async function currentFirm(db: Kysely<Schema>, config: Mode): Promise<FirmProfile> {
  const row = await latestFirm(db, config)
  if (!row) throw new AppError('not_ready', t('The demonstration is still loading. Please try again.'))
  return firmProfile.parse(row.profile)
}

/**
 * Stores a live installation's configured profile as its first version, once; later changes are made in the console.
 * @returns true if the profile in force differs from the configuration
 */
export async function initialiseFirm(db: Kysely<Schema>, firm: FirmProfile, now: Date): Promise<boolean> {
  await db
    .insertInto('app.firm_profiles')
    .values({ mode: 'live', version: 1, profile: firm, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const inForce = await currentFirm(db, { mode: 'live' })
  return Object.keys(firm).some(
    name =>
      JSON.stringify(firm[name as keyof FirmProfile]) !== JSON.stringify(inForce[name as keyof FirmProfile]),
  )
}

/** The versions of the profile, newest first. */
export const firmVersions = ({ mode }: Mode) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.firm_profiles as f')
        .leftJoin('app.users as u', 'u.id', 'f.created_by')
        .where('f.mode', '=', mode),
    columns: query => query.selectAll('f').select('u.name as changed_by'),
    present: rows =>
      rows.map(({ version, profile, changed_by, created_at, reason }) => ({
        version,
        changedBy: changed_by,
        changedAt: created_at.toISOString(),
        reason,
        profile: firmProfile.parse(profile),
      })),
    id: 'f.version',
    idType: 'version',
  })
