import { defineRefusals } from '#shared/refusals.ts'

/** Why the firm's look stays as it is. */
export const brandRefusals = defineRefusals({
  brand_unchanged: () => 'This is the look in force. Change something first.',
})
