import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { entryText, type Listing } from '#shared/sanctions.ts'

/** Why an account, its freeze or its factors stay as they are. */
export const accountRefusals = defineRefusals({
  registration_closed: () => t('We are not opening new accounts at present.'),
  already_frozen: () => t('This account is already frozen.'),
  something_open: () => t('Something is still open in your account. End it first, then close the account.'),
  account_closed: () => t('Its owner has closed this account. Reopen it first.'),
  not_closed: () => t('This account is not closed.'),
  owner_listed: (listing: Listing) =>
    t(
      'The owner is {listed}, as your team has decided. While that entry is on the list, the account stays as it is. If they are somebody else, another person corrects the decision first.',
      { listed: entryText(listing) },
    ),
  not_frozen: () => t('This account is not frozen.'),
  no_factors: () => t('This account has no two-factor authentication and no passkey to reset.'),
  objection_period: ({ hours }: { hours: number }) =>
    t('The owner has {hours} hours to object. You can approve this {hours} hours after it was proposed.', {
      hours,
    }),
  too_many_passkeys: ({ maximum }: { maximum: number }) =>
    t('An account can have at most {maximum, number} passkeys. Remove one first.', { maximum }),
  no_domain_name: () => t('Passkeys need a domain name; this site is opened by IP address.'),
  second_factor_on: () => t('Two-factor authentication is already on.'),
  second_factor_off: () => t('Two-factor authentication is not on.'),
  setup_expired: () => t('This setup has expired. Start again.'),
})
