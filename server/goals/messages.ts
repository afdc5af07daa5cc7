import { t } from '#shared/i18n/t.ts'
import { maximumGoals } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

export const goalRefusals = defineRefusals({
  too_many_goals: () => t('You can have at most {count} goals. Remove one first.', { count: maximumGoals }),
})
