import { type PayeeRefusal, payeeRefusals } from '#server/payouts/messages.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumAddresses } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { entryWords, type Listing, type NameStop } from '#shared/sanctions.ts'

/** What to do about the withdrawal of an investor with a debt. */
export const declineForDebt = 'Decline this withdrawal; the released hold will repay the debt.'

/** Why a withdrawal or an address book stays as it is. */
export const withdrawalRefusals = defineRefusals({
  unpayable: ({ cause }: { cause: PayeeRefusal }) =>
    `${payeeRefusals.words(cause)} Decline this withdrawal and give the investor the reason.`,
  address_listed: (listing: Listing) =>
    `The address is ${entryWords(listing)}. Decline this withdrawal and give the investor the reason; they get the amount back.`,
  owner_matched: ({ owner, ...listing }: Listing & { owner: string }) =>
    `${owner} may be ${entryWords(listing)}. Someone with the role Admin or Support must decide the match first.`,
  owner_listed: ({ owner, ...listing }: Listing & { owner: string }) =>
    `${owner} is ${entryWords(listing)}, as your team has decided. Decline this withdrawal, or leave it pending.`,
  owner_uncompared: ({ owner }: { owner: string }) =>
    `${owner} has not been compared with the sanctions lists yet. That takes a minute, or longer after the first import; try again then. If it lasts, ask the person who runs the servers.`,
  listed_unless_sent: (listing: Listing) =>
    `The address is ${entryWords(listing)}. Decline this withdrawal. If its coins have already been sent, confirm that.`,
  may_be_paid: () =>
    'This withdrawal is approved, so someone may already have paid it manually. If so, mark it as paid. If nobody has sent its coins and nobody will, confirm that and decline it.',
  cancelling_paused: () =>
    t(
      'Withdrawals are paused while we compare our records, so you cannot cancel this one now. Please try again later or contact us.',
    ),
  address_exists: () => t('This address is already in your address book'),
  address_book_full: () =>
    t('An address book holds at most {count} addresses. Remove one first.', { count: maximumAddresses }),
})

/** The refusal to approve a withdrawal whose owner's name stops it. */
export function ownerStopped(name: string | null, stop: NameStop) {
  const owner = name ?? 'The owner'
  if (stop.why === 'uncompared') return { reason: 'owner_uncompared', owner } as const
  const { why, ...listing } = stop
  return { reason: why === 'same' ? 'owner_listed' : 'owner_matched', owner, ...listing } as const
}
