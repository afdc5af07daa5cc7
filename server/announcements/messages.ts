import { defineRefusals } from '#shared/refusals.ts'

/** Why an announcement stays as it is. */
export const announcementRefusals = defineRefusals({
  already_withdrawn: () => 'This announcement was already withdrawn.',
})
