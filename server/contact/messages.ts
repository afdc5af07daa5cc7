import { defineRefusals } from '#shared/refusals.ts'

/** Why a contact message stays as it is. */
export const contactRefusals = defineRefusals({
  already_answered: () => 'This message is already marked as answered.',
  already_open: () => 'This message is already open.',
})
