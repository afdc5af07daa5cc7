import { isDeepStrictEqual } from 'node:util'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockVersions, requireLatestVersion } from '#server/queries/versions.ts'
import type { TranslatedTexts } from '#shared/contract/firm-texts.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { AppError, type FieldErrors } from '#shared/errors.ts'
import { firmErrors } from '#shared/firm.ts'
import type { FirmOriginal } from '#shared/firm-in-language.ts'
import { firmTextNames } from '#shared/firm-texts.ts'
import type { TranslatedLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { latestFirm, profileOf } from './queries.ts'
import { followedChanges, translated, translationErrors, translationsAfter } from './translations.ts'

/** The version that was edited, and the reason. */
type Edit = { version: number; reason: string }

/**
 * Stores a new version of the firm's profile (N-14).
 * @throws AppError not_ready before the first version; wrong_state if another admin was faster; invalid_input for a missing
 *   mandatory field or no change
 */
export async function updateFirm(
  tx: Tx,
  ctx: SignedInContext,
  after: FirmOriginal,
  edit: Edit,
): Promise<FirmProfile> {
  const { config, clock } = ctx.services
  const stored = await editedFirm(tx, ctx, edit)
  refuse(firmErrors(after, config.mode, clock.now().getUTCFullYear()))
  const { translations: translatedBefore, ...before } = stored
  requireChange(before, after)
  const profile = { ...after, translations: translationsAfter(stored, after) }
  await store(tx, ctx, profile, edit)
  const translations = followedChanges(translatedBefore, profile.translations)
  await audit(tx, ctx, {
    action: 'firm.updated',
    subject: { kind: 'firm', id: null },
    reason: edit.reason,
    details: { version: edit.version + 1, before, after, translations },
  })
  return profile
}

/**
 * Stores a new version of the firm's profile with texts in another language.
 * @param given null removes a translation; texts that are left out stay
 * @throws AppError not_ready before the first version; wrong_state if another admin was faster; invalid_input for a text that
 *   does not fit its original or no change
 */
export async function translateFirm(
  tx: Tx,
  ctx: SignedInContext,
  { language, texts: given }: { language: TranslatedLanguage; texts: TranslatedTexts },
  edit: Edit,
): Promise<FirmProfile> {
  const stored = await editedFirm(tx, ctx, edit)
  refuse(translationErrors(stored, given))
  const before = stored.translations[language] ?? { texts: {}, outdated: [] }
  const after = translated(before, given)
  requireChange(before, after)
  const profile = { ...stored, translations: { ...stored.translations, [language]: after } }
  await store(tx, ctx, profile, edit)
  const names = firmTextNames.filter(name => name in given)
  const textsOf = (texts: TranslatedTexts) =>
    Object.fromEntries(names.map(name => [name, texts[name] ?? null]))
  await audit(tx, ctx, {
    action: 'firm.translated',
    subject: { kind: 'firm', id: null },
    reason: edit.reason,
    details: {
      version: edit.version + 1,
      language,
      before: textsOf(before.texts),
      after: textsOf(after.texts),
    },
  })
  return profile
}

/** The profile in force, locked, if it is the version that was edited. */
async function editedFirm(
  tx: Tx,
  { services: { config } }: SignedInContext,
  edit: Edit,
): Promise<FirmProfile> {
  await lockVersions(tx, 'firm')
  const latest = await latestFirm(tx, config)
  if (!latest) throw new AppError('not_ready', t('The demonstration is still loading. Please try again.'))
  requireLatestVersion(latest.version, edit.version, 'profile')
  return profileOf(latest)
}

async function store(tx: Tx, ctx: SignedInContext, profile: FirmProfile, edit: Edit): Promise<void> {
  const { config, clock } = ctx.services
  await tx
    .insertInto('app.firm_profiles')
    .values({
      mode: config.mode,
      version: edit.version + 1,
      profile,
      reason: edit.reason,
      created_by: ctx.caller.userId,
      created_at: clock.now(),
    })
    .execute()
}

function refuse(fields: FieldErrors): void {
  const [error] = Object.values(fields)
  if (error) throw new AppError('invalid_input', error, { fields })
}

function requireChange(before: object, after: object): void {
  if (isDeepStrictEqual(before, after)) throw new AppError('invalid_input', t('Nothing has been changed'))
}
