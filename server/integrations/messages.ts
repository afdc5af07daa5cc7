import { t } from '#shared/i18n/t.ts'
import { maximumWebhooks } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why integrations stay as they are. */
export const integrationRefusals = defineRefusals({
  key_day_passed: () =>
    t('The last day of this key has passed. Reject the proposal, and propose another key.'),
  key_created: () =>
    t('This key was already created, and its text is shown only once. Revoke it and propose another.'),
  key_revoked: () => t('This key was already revoked.'),
  too_many_webhooks: () =>
    t('There can be at most {maximum} webhooks. Remove one first.', { maximum: maximumWebhooks }),
  webhook_removed: () => t('This webhook was removed.'),
  webhook_stopped: () => t('This webhook is already stopped.'),
  no_secret: () => t('Create the secret of this webhook first.'),
  webhook_works: () => t('This webhook is neither failing nor stopped.'),
  still_waiting: () => t('This message still waits to be sent.'),
  key_expired: () => t('This key has expired. Propose another.'),
})
