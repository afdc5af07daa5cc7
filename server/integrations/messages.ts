import { maximumWebhooks } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why integrations stay as they are. */
export const integrationRefusals = defineRefusals({
  key_day_passed: () => 'The last day of this key has passed. Reject the proposal, and propose another key.',
  key_created: () =>
    'This key was already created, and its text is shown only once. Revoke it and propose another.',
  key_revoked: () => 'This key was already revoked.',
  too_many_webhooks: () => `There can be at most ${maximumWebhooks} webhooks. Remove one first.`,
  webhook_removed: () => 'This webhook was removed.',
  webhook_stopped: () => 'This webhook is already stopped.',
  no_secret: () => 'Create the secret of this webhook first.',
  webhook_works: () => 'This webhook is neither failing nor stopped.',
  still_waiting: () => 'This message still waits to be sent.',
  key_expired: () => 'This key has expired. Propose another.',
})
