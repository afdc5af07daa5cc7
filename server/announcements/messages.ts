import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why an announcement stays as it is. */
export const announcementRefusals = defineRefusals({
  already_withdrawn: () => t('This announcement was already withdrawn.'),
})
