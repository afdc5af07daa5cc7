import { sql } from 'kysely'
import { type Db, recordTemplates, type Template } from '#server/notifications/template.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import { utcDay } from '#shared/moments.ts'

type Told = { id: string; user_id: string; kind: CheckKind; reason: string | null; expires_on: Date | null }

/** The headline of each event, by kind. */
const headlines = {
  verified: {
    identity: msg('Your proof of identity is verified'),
    funds: msg('Your proof of the source of funds is verified'),
  },
  returned: {
    identity: msg('Your proof of identity needs a correction'),
    funds: msg('Your proof of the source of funds needs a correction'),
  },
  ending: {
    identity: msg('Your proof of identity ends soon'),
    funds: msg('Your proof of the source of funds ends soon'),
  },
  ended: {
    identity: msg('Your proof of identity has ended'),
    funds: msg('Your proof of the source of funds has ended'),
  },
} as const satisfies Record<string, Record<CheckKind, string>>

/** What became of a proof, as its owner reads it. */
export const checkTemplates = recordTemplates({
  load: checksById,
  events: {
    verified: check('verified', ({ expires_on }) => [
      t('It counts until {day}. What waited for it goes on.', { day: utcDay(expires_on!) }),
    ]),
    returned: check('returned', ({ reason }) => [
      t('Reason: {reason}', { reason: reason! }),
      t(
        'Please correct it under Identity in your account, and send it again. You can cancel anything that waits for it at any time.',
      ),
    ]),
    refused: ({ user_id, reason }: Told) => ({
      userId: user_id,
      headline: t('We cannot keep you as a customer'),
      text: t('We have refused your proof, and cannot keep you as a customer.'),
      details: [
        t('Reason: {reason}', { reason: reason! }),
        t(
          'Your pending investments are declined, and their money is on your balance. You can withdraw all of your money, without a limit. Active investments go on to their ending date, and you can withdraw their principal then.',
        ),
        t('If you do not agree, write to us under Messages in your account. Another person will review it.'),
      ],
    }),
    ending: check('ending', ({ expires_on }) => [
      t(
        'It counts until {day}. Please renew it under Identity in your account, so that nothing has to wait.',
        { day: utcDay(expires_on!) },
      ),
    ]),
    ended: check('ended', () => [
      t(
        'What needs this proof waits until you renew it under Identity in your account. Your money is safe, and you can cancel what waits at any time.',
      ),
    ]),
  },
})

function check(event: keyof typeof headlines, details: (row: Told) => string[]): Template<Told> {
  return row => {
    const headline = translate(headlines[event][row.kind])
    return { userId: row.user_id, headline, text: `${headline}.`, details: details(row) }
  }
}

function checksById(db: Db, ids: string[]): Promise<Told[]> {
  return db
    .selectFrom('app.identity_checks')
    .select(['id', 'user_id', 'kind', 'reason'])
    .select(sql<Date | null>`expires_on::timestamptz`.as('expires_on'))
    .where('id', 'in', ids)
    .execute()
}
