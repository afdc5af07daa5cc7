import { defineRefusals } from '#shared/refusals.ts'

/** Why a case stays as it is. */
export const monitoringRefusals = defineRefusals({
  case_decided: ({ by }: { by: string }) => `${by} has decided this case already.`,
})
