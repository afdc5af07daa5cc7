import { type PayeeRefusal, payeeRefusals } from '#server/payouts/messages.ts'
import { maximumAddresses } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { type Listing, listedWords, type StoppingMatch } from '#shared/sanctions.ts'

/** What to do about the withdrawal of an investor with a debt. */
export const declineForDebt = 'Decline this withdrawal; the released hold will repay the debt.'

/** Why a withdrawal or an address book stays as it is. */
export const withdrawalRefusals = defineRefusals({
  unpayable: ({ cause }: { cause: PayeeRefusal }) =>
    `${payeeRefusals.words(cause)} Decline this withdrawal and give the investor the reason.`,
  address_listed: (listing: Listing) =>
    `The address is ${listedWords(listing)} (${listing.name}). Decline this withdrawal and give the investor the reason; they get the amount back.`,
  owner_matched: ({ owner, isSame, ...listing }: StoppingMatch & { owner: string }) =>
    isSame
      ? `${owner} is ${listedWords(listing)} (${listing.name}), as our team has decided. Decline this withdrawal, or leave it pending.`
      : `${owner} may be ${listedWords(listing)} (${listing.name}). Decide the match first.`,
  listed_unless_sent: (listing: Listing) =>
    `The address is ${listedWords(listing)} (${listing.name}). Decline this withdrawal. If its coins have already been sent, confirm that.`,
  may_be_paid: () =>
    'This withdrawal is approved, so someone may already have paid it manually. If so, mark it as paid. If nobody has sent its coins and nobody will, confirm that and decline it.',
  cancelling_paused: () =>
    'Withdrawals are paused while we compare our records, so you cannot cancel this one now. Please try again later or contact us.',
  address_exists: () => 'This address is already in your address book',
  address_book_full: () => `An address book holds at most ${maximumAddresses} addresses. Remove one first.`,
})
