import { type Db, recordTemplates } from '#server/notifications/template.ts'
import { t } from '#shared/i18n/t.ts'

type Told = { id: string; user_id: string }

/** That we ask for more because of a public office, as its holder reads it. */
export const matchTemplates = recordTemplates({
  load: matchesById,
  events: {
    exposed: ({ user_id }) => ({
      userId: user_id,
      headline: t('We need to know where your money comes from before you invest more'),
      text: t(
        'The law counts you among politically exposed persons: people with an important public office, now or until recently.',
      ),
      details: [
        t('For them, it asks us to verify where their money comes from. It accuses you of nothing.'),
        t(
          'New investments wait until we have verified your identity and the source of your money. Your money, your active investments and your withdrawals go on as before.',
        ),
        t(
          'Please send both under Identity in your account; nothing is left to do if they are verified already. If this is not you, write to us under Messages.',
        ),
      ],
    }),
    cleared: ({ user_id }) => ({
      userId: user_id,
      headline: t('We no longer count you among politically exposed persons'),
      text: t(
        'We no longer count you among politically exposed persons: another member of our team has corrected that.',
      ),
      details: [t('Your investments only wait for a proof if the limits for everyone ask for it.')],
    }),
  },
})

function matchesById(db: Db, ids: string[]): Promise<Told[]> {
  return db.selectFrom('app.name_matches').select(['id', 'user_id']).where('id', 'in', ids).execute()
}
