import { isDeepStrictEqual } from 'node:util'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { type FirmInLanguage, type FirmProfile, firmProfile } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { firmIn } from '#shared/firm-in-language.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { t } from '#shared/i18n/t.ts'
import { replacedBetween } from './versions.ts'

type Mode = Pick<Config, 'mode'>
/** The profile that an installation has read last. To parse it with all its translations takes milliseconds. */
const lastRead = new WeakMap<Mode, { revision: string; profile: FirmProfile }>()
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

/** A stored profile. Those of former releases have no translations. */
export function profileOf({ profile }: { profile: unknown }): FirmProfile {
  return firmProfile.parse({ translations: {}, ...(profile as object) })
}

/**
 * The firm's profile in force (decision 23), in the current language.
 * @throws AppError not_ready until the demonstration's sample is loaded
 */
export async function currentFirm(db: Kysely<Schema>, config: Mode): Promise<FirmInLanguage> {
  return firmIn(await firmInForce(db, config), languageNow())
}

/**
 * The firm's profile in force, in all its languages.
 * @throws AppError not_ready
 */
export async function firmInForce(db: Kysely<Schema>, config: Mode): Promise<FirmProfile> {
  const known = lastRead.get(config)
  // Its version, and the transaction that has written the row.
  const revision = sql<string>`version || ' ' || xmin`
  const row = await db
    .selectFrom('app.firm_profiles')
    .select(revision.as('revision'))
    .select(sql`CASE WHEN ${revision} = ${known?.revision ?? ''} THEN NULL ELSE profile END`.as('profile'))
    .where('mode', '=', config.mode)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) throw new AppError('not_ready', t('The demonstration is still loading. Please try again.'))
  if (known && row.profile === null) return known.profile
  const profile = profileOf(row)
  lastRead.set(config, { revision: row.revision, profile })
  return profile
}

/** The firm's profile as it was read last, if it was. */
export function lastReadFirm(config: Mode): FirmProfile | undefined {
  return lastRead.get(config)?.profile
}

/**
 * Stores a live installation's configured profile as its first version, once; later changes are made in the console.
 * @returns true if the profile in force differs from the configuration, which has no translations
 */
export async function initialiseFirm(db: Kysely<Schema>, firm: FirmProfile, now: Date): Promise<boolean> {
  await db
    .insertInto('app.firm_profiles')
    .values({ mode: 'live', version: 1, profile: firm, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const inForce = await firmInForce(db, { mode: 'live' })
  return !isDeepStrictEqual({ ...inForce, translations: {} }, { ...firm, translations: {} })
}

/** The versions of the profile, newest first. */
export const firmVersions = ({ mode }: Mode) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.firm_profiles as f')
        .leftJoin('app.users as u', 'u.id', 'f.created_by')
        .where('f.mode', '=', mode),
    columns: query =>
      query
        .selectAll('f')
        .select('u.name as changed_by')
        .select(eb => [
          eb
            .selectFrom('app.firm_profiles as p')
            .select('p.profile')
            .whereRef('p.mode', '=', 'f.mode')
            .where('p.version', '=', sql<number>`f.version - 1`)
            .as('before'),
          sql<boolean>`NOT EXISTS (SELECT FROM app.firm_profiles n
            WHERE n.mode = f.mode AND n.version = f.version + 1)`.as('in_force'),
        ]),
    present: rows =>
      rows.map(({ version, profile, before, in_force, changed_by, created_at, reason }) => ({
        version,
        changedBy: changed_by,
        changedAt: created_at.toISOString(),
        reason,
        profile: in_force ? profileOf({ profile }) : null,
        replaced:
          before === null ? null : replacedBetween(profileOf({ profile: before }), profileOf({ profile })),
      })),
    id: 'f.version',
    idType: 'version',
  })
