import { type Db, recordTemplates } from '#server/notifications/template.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { utcDay } from '#shared/moments.ts'
import { newestPolicy } from './queries.ts'
import { shownTranslations } from './translations.ts'

type Told = { id: string; version: number; from: string; changes: Partial<Record<Language, string | null>> }

/** Changed terms, as an investor is notified of them; `id` is the investor's. */
export const termsTemplates = recordTemplates({
  load: toldById,
  events: {
    changed: ({ id, version, from, changes }: Told) => ({
      userId: id,
      headline: t('Our terms change on {day}', { day: utcDay(new Date(from)) }),
      text: t('Version {version} of our terms comes into force on {day} (UTC).', {
        version,
        day: utcDay(new Date(from)),
      }),
      details: [
        changes[languageNow()] ?? changes[sourceLanguage] ?? '',
        t(
          'Please read and accept it under Terms in your account if you want to go on depositing and investing. You need not accept it to withdraw your money.',
        ),
      ],
    }),
  },
})

async function toldById(db: Db, ids: string[]): Promise<Told[]> {
  const newest = await newestPolicy(db, 'terms')
  if (!newest) return []
  const { version, in_force_from: from } = newest
  const translations = await shownTranslations(db)
    .select(['language', 'changes'])
    .where('policy_id', '=', newest.id)
    .execute()
  const changes = Object.fromEntries([
    [sourceLanguage, newest.changes],
    ...translations.map(({ language, changes }) => [language, changes]),
  ])
  return ids.map(id => ({ id, version, from, changes }))
}
