import type { Selectable } from 'kysely'
import { type Db, recordTemplates } from '#server/notifications/template.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatUsd } from '#shared/money.ts'

/** Goals as their investor reads of them. */
export const goalTemplates = recordTemplates({
  load: (db: Db, ids: string[]) => db.selectFrom('app.goals').selectAll().where('id', 'in', ids).execute(),
  events: {
    reached: ({ user_id, name, amount_cents }: Selectable<Schema['app.goals']>) => ({
      userId: user_id,
      headline: 'You reached a goal',
      text: `Your total funds have reached ${formatUsd(amount_cents)}: “${name}”.`,
      details: ['They are what is available, on hold and invested.'],
    }),
  },
})
