import { maximumPushDevices } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

export const pushRefusals = defineRefusals({
  too_many_devices: () =>
    `At most ${maximumPushDevices} devices can get your notifications. Remove one first.`,
  unknown_service: () => 'We do not send to the push service of this browser.',
})
