import { type PayeeRefusal, payeeRefusals } from '#server/payouts/messages.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumAddresses } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { entryText, type Listing, type NameStop } from '#shared/sanctions.ts'

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
  owner_matched: ({ owner, ...listing }: Listing & { owner: string }) =>
    t('{owner} may be {listed}. Someone with the role Admin or Support must decide the match first.', {
      owner,
      listed: entryText(listing),
    }),
  owner_listed: ({ owner, ...listing }: Listing & { owner: string }) =>
    t('{owner} is {listed}, as your team has decided. Decline this withdrawal, or leave it pending.', {
      owner,
      listed: entryText(listing),
    }),
  owner_uncompared: ({ owner }: { owner: string }) =>
    t(
      '{owner} has not been compared with the sanctions lists yet. That takes a minute, or longer after the first import; try again then. If it lasts, ask the person who runs the servers.',
      { owner },
    ),
  listed_unless_sent: (listing: Listing) =>
    t(
      'The address is {listed}. Decline this withdrawal. If its coins have already been sent, confirm that.',
      { listed: entryText(listing) },
    ),
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

/** The refusal to approve a withdrawal whose owner's name stops it. */
export function ownerStopped(name: string | null, stop: NameStop) {
  const owner = name ?? t('The owner')
  if (stop.why === 'uncompared') return { reason: 'owner_uncompared', owner } as const
  const { why, ...listing } = stop
  return { reason: why === 'same' ? 'owner_listed' : 'owner_matched', owner, ...listing } as const
}
