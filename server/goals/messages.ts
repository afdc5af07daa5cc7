import { maximumGoals } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

export const goalRefusals = defineRefusals({
  too_many_goals: () => `You can have at most ${maximumGoals} goals. Remove one first.`,
})
