import { type PayeeRefusal, payeeRefusals } from '#server/payouts/messages.ts'
import { ownerRefusals } from '#server/screening/messages.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumAddresses } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { entryText, type Listing } from '#shared/sanctions.ts'

/** What to do about the withdrawal of an investor with a debt. */
export function declineForDebt(): string {
  return t('Decline this withdrawal; the released hold will repay the debt.')
}

/** Why a withdrawal or an address book stays as it is. */
export const withdrawalRefusals = defineRefusals({
  unpayable: ({ cause }: { cause: PayeeRefusal }) =>
    t('{cause} Decline this withdrawal and give the investor the reason.', {
      cause: payeeRefusals.words(cause),
    }),
  address_listed: (listing: Listing) =>
    t(
      'The address is {listed}. Decline this withdrawal and give the investor the reason; they get the amount back.',
      { listed: entryText(listing) },
    ),
  ...ownerRefusals.messages,
  listed_unless_sent: (listing: Listing) =>
    t(
      'The address is {listed}. Decline this withdrawal. If its coins have already been sent, confirm that.',
      { listed: entryText(listing) },
    ),
  owner_unless_sent: ({ cause }: { cause: string }) =>
    t('{cause} If its coins have already been sent, confirm that.', { cause }),
  may_be_paid: () =>
    t(
      'This withdrawal is approved, so someone may already have paid it manually. If so, mark it as paid. If nobody has sent its coins and nobody will, confirm that and decline it.',
    ),
  cancelling_paused: () =>
    t(
      'Withdrawals are paused while we compare our records, so you cannot cancel this one now. Please try again later or contact us.',
    ),
  address_exists: () => t('This address is already in your address book'),
  address_book_full: () =>
    t('An address book holds at most {count} addresses. Remove one first.', { count: maximumAddresses }),
})
