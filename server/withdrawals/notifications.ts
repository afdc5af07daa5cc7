import type { Selectable } from 'kysely'
import { type Db, recordTemplates, type Template, whereReleased } from '#server/notifications/template.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { utcMinute } from '#shared/moments.ts'
import { type WithdrawalRow, withdrawalsById } from './queries.ts'

type Address = Selectable<Schema['app.payout_addresses']>

const changePassword = () => t("Wasn't you? Change your password now and contact us.")

/** Withdrawal events as the investor reads them. */
export const withdrawalTemplates = recordTemplates({
  load: withdrawalsById,
  events: {
    requested: withdrawal(
      ({ invoice, ...of }) => [
        t('Your withdrawal {invoice} was requested', { invoice }),
        t('Your withdrawal {invoice} of {amount} in {wallet} to {address} was requested.', {
          invoice,
          ...of,
        }),
      ],
      () => [t('We hold the amount until we have paid it.'), changePassword()],
    ),
    approved: withdrawal(
      ({ invoice, ...of }) => [
        t('Your withdrawal {invoice} is approved', { invoice }),
        t('Your withdrawal {invoice} of {amount} in {wallet} to {address} is approved.', { invoice, ...of }),
      ],
      () => [t("We'll send it shortly.")],
    ),
    paid: withdrawal(
      ({ invoice, ...of }) => [
        t('Your withdrawal {invoice} was paid', { invoice }),
        t('Your withdrawal {invoice} of {amount} in {wallet} to {address} was paid.', { invoice, ...of }),
      ],
      ({ transaction_id }) => [t('Transaction: {transaction}', { transaction: String(transaction_id) })],
    ),
    declined: withdrawal(
      ({ invoice, ...of }) => [
        t('Your withdrawal {invoice} was declined', { invoice }),
        t('Your withdrawal {invoice} of {amount} in {wallet} to {address} was declined.', { invoice, ...of }),
      ],
      row => [t('Reason: {reason}', { reason: row.decline_reason! }), whereReleased('amount', row)],
    ),
    cancelled: withdrawal(
      ({ invoice, ...of }) => [
        t('Your withdrawal {invoice} was cancelled', { invoice }),
        t('Your withdrawal {invoice} of {amount} in {wallet} to {address} was cancelled.', {
          invoice,
          ...of,
        }),
      ],
      row => [whereReleased('amount', row), changePassword()],
    ),
  },
})

/** Events of the address book. */
export const addressTemplates = recordTemplates({
  load: addressesById,
  events: {
    added: ({ user_id, wallet, address, usable_from }: Address) => ({
      userId: user_id,
      headline: t('A withdrawal address was added'),
      text: t('The {wallet} address {address} was added to your address book.', { wallet, address }),
      details: [
        usable_from === null
          ? t('You can withdraw to it now.')
          : t('You can withdraw to it from {time}.', { time: utcMinute(usable_from) }),
        t("Wasn't you? Remove it, change your password now and contact us."),
      ],
    }),
  },
})

type Of = { invoice: string; amount: string; wallet: string; address: string }

function withdrawal(
  words: (of: Of) => [headline: string, text: string],
  details: (row: WithdrawalRow) => string[],
): Template<WithdrawalRow> {
  return row => {
    const { invoice_id: invoice, amount_cents, wallet, address } = row
    const [headline, text] = words({ invoice, amount: localUsd(amount_cents), wallet, address })
    return { userId: row.user_id, headline, text, details: details(row) }
  }
}

function addressesById(db: Db, ids: string[]): Promise<Address[]> {
  return db.selectFrom('app.payout_addresses').selectAll().where('id', 'in', ids).execute()
}
