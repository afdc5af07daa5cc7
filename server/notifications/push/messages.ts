import { t } from '#shared/i18n/t.ts'
import { maximumPushDevices } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

export const pushRefusals = defineRefusals({
  too_many_devices: () =>
    t('At most {maximum} devices can get your notifications. Remove one first.', {
      maximum: maximumPushDevices,
    }),
  unknown_service: () => t('We do not send to the push service of this browser.'),
})
