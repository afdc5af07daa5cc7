import { sql } from 'kysely'
import { type Db, recordTemplates, type Template } from '#server/notifications/template.ts'
import { type CheckKind, checkWords } from '#shared/identity.ts'
import { utcDay } from '#shared/moments.ts'

type Told = { id: string; user_id: string; kind: CheckKind; reason: string | null; expires_on: Date | null }

/** What became of a proof, as its owner reads it. */
export const checkTemplates = recordTemplates({
  load: checksById,
  events: {
    verified: check('is verified', ({ expires_on }) => [
      `It counts until ${utcDay(expires_on!)}. What waited for it goes on.`,
    ]),
    returned: check('needs a correction', ({ reason }) => [
      `Reason: ${reason}`,
      'Please correct it under Identity in your account, and send it again. You can cancel anything that waits for it at any time.',
    ]),
    refused: ({ user_id, reason }) => ({
      userId: user_id,
      headline: 'We cannot keep you as a customer',
      text: 'We have refused your proof, and cannot keep you as a customer.',
      details: [
        `Reason: ${reason}`,
        'Your pending investments are declined, and their money is on your balance. You can withdraw all of your money, without a limit. Active investments go on to their ending date, and you can withdraw their principal then.',
        'If you do not agree, write to us under Messages in your account. Another person will review it.',
      ],
    }),
    ending: check('ends soon', ({ expires_on }) => [
      `It counts until ${utcDay(expires_on!)}. Please renew it under Identity in your account, so that nothing has to wait.`,
    ]),
    ended: check('has ended', () => [
      'Withdrawals and investments above the limit wait until you renew it under Identity in your account. Your money is safe, and you can cancel what waits at any time.',
    ]),
  },
})

function check(happened: string, details: (row: Told) => string[]): Template<Told> {
  return row => ({
    userId: row.user_id,
    headline: `Your ${checkWords[row.kind]} ${happened}`,
    text: `Your ${checkWords[row.kind]} ${happened}.`,
    details: details(row),
  })
}

function checksById(db: Db, ids: string[]): Promise<Told[]> {
  return db
    .selectFrom('app.identity_checks')
    .select(['id', 'user_id', 'kind', 'reason'])
    .select(sql<Date | null>`expires_on::timestamptz`.as('expires_on'))
    .where('id', 'in', ids)
    .execute()
}
