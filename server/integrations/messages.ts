import { defineRefusals } from '#shared/refusals.ts'

/** Why integrations stay as they are. */
export const integrationRefusals = defineRefusals({
  key_day_passed: () => 'The last day of this key has passed. Reject the proposal, and propose another key.',
  key_created: () =>
    'This key was already created, and its text is shown only once. Revoke it and propose another.',
  key_revoked: () => 'This key was already revoked.',
  key_expired: () => 'This key has expired. Propose another.',
})
