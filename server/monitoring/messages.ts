import { defineRefusals } from '#shared/refusals.ts'

/** Why a case stays as it is. */
export const monitoringRefusals = defineRefusals({
  case_moved: () =>
    'More has moved since you opened this case. Reload the page, and look at the new movements.',
  case_decided: ({ by }: { by: string }) => `${by} has decided this case already.`,
})
