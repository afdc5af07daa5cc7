import { defineRefusals } from '#shared/refusals.ts'

/** Why a match of names stays as it is. */
export const screeningRefusals = defineRefusals({
  match_decided: ({ by }: { by: string }) => `${by} has decided this already.`,
  own_decision: () => 'You decided this yourself. Ask another person to correct it.',
  match_lapsed: () => 'This entry is no longer on the list, so there is nothing to decide.',
})
