import { defineRefusals } from '#shared/refusals.ts'

/** Why a contact message stays as it is. */
export const contactRefusals = defineRefusals({
  already_answered: () => 'This message is already marked as answered.',
  already_open: () => 'This message is already open.',
  already_closed: () => 'This message is already closed.',
  cannot_answer: () => 'This person may not answer messages. Choose another one.',
  no_account: () => 'We reply to this person by email only, so a reply has no files.',
  too_long: () => 'This conversation is full. Please start a new one.',
})
