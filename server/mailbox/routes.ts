import { type Binding, query } from '#server/context.ts'
import { demoMailbox } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

/** The newest emails of the demonstration's mailbox in one response. */
const SHOWN = 50

export const routes: Binding[] = [
  query(demoMailbox, async ({ query: { to } }, { services: { db, config } }) => {
    if (config.mode !== 'demo') throw new AppError('not_found', t('There is no such call; see /api/docs'))
    const rows = await db
      .selectFrom('app.mailbox')
      .select(['recipient', 'subject', 'text', 'html', 'created_at'])
      .$if(to !== undefined, select => select.where('recipient', '=', to!))
      .orderBy('id', 'desc')
      .limit(SHOWN)
      .execute()
    return rows.map(({ recipient, created_at, ...mail }) => ({
      to: recipient,
      ...mail,
      createdAt: created_at.toISOString(),
    }))
  }),
]
