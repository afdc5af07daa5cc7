import type { Selectable } from 'kysely'
import { type Db, recordTemplates } from '#server/notifications/template.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'

/** Goals as their investor reads of them. */
export const goalTemplates = recordTemplates({
  load: (db: Db, ids: string[]) => db.selectFrom('app.goals').selectAll().where('id', 'in', ids).execute(),
  events: {
    reached: ({ user_id, name, amount_cents }: Selectable<Schema['app.goals']>) => ({
      userId: user_id,
      headline: t('You reached a goal'),
      text: t('Your total funds have reached {amount}: “{name}”.', { amount: localUsd(amount_cents), name }),
      details: [t('They are what is available, on hold and invested.')],
    }),
  },
})
