import type { Selectable } from 'kysely'
import { type Db, recordTemplates, type Template, whereReleased } from '#server/notifications/template.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { utcMinute } from '#shared/moments.ts'
import { formatUsd } from '#shared/money.ts'
import { type WithdrawalRow, withdrawalsById } from './queries.ts'

type Address = Selectable<Schema['app.payout_addresses']>

/** Withdrawal events as the investor reads them. */
export const withdrawalTemplates = recordTemplates({
  load: withdrawalsById,
  events: {
    requested: withdrawal('was requested', () => [
      'We hold the amount until we have paid it.',
      "Wasn't you? Change your password now and contact us.",
    ]),
    approved: withdrawal('is approved', () => ["We'll send it shortly."]),
    paid: withdrawal('was paid', ({ transaction_id }) => [`Transaction: ${transaction_id}`]),
    declined: withdrawal('was declined', row => [
      `Reason: ${row.decline_reason}`,
      whereReleased('The amount', row),
    ]),
    cancelled: withdrawal('was cancelled', row => [
      whereReleased('The amount', row),
      "Wasn't you? Change your password now and contact us.",
    ]),
  },
})

/** Events of the address book. */
export const addressTemplates = recordTemplates({
  load: addressesById,
  events: {
    added: (row: Address) => ({
      userId: row.user_id,
      headline: 'A withdrawal address was added',
      text: `The ${row.wallet} address ${row.address} was added to your address book.`,
      details: [
        row.usable_from === null
          ? 'You can withdraw to it now.'
          : `You can withdraw to it from ${utcMinute(row.usable_from)}.`,
        "Wasn't you? Remove it, change your password now and contact us.",
      ],
    }),
  },
})

function withdrawal(happened: string, details: (row: WithdrawalRow) => string[]): Template<WithdrawalRow> {
  return row => ({
    userId: row.user_id,
    headline: `Your withdrawal ${row.invoice_id} ${happened}`,
    text: `Your withdrawal ${row.invoice_id} of ${formatUsd(row.amount_cents)} in ${row.wallet} to ${row.address} ${happened}.`,
    details: details(row),
  })
}

function addressesById(db: Db, ids: string[]): Promise<Address[]> {
  return db.selectFrom('app.payout_addresses').selectAll().where('id', 'in', ids).execute()
}
