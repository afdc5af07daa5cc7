import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why the firm's look stays as it is. */
export const brandRefusals = defineRefusals({
  brand_unchanged: () => t('This is the look in force. Change something first.'),
})
