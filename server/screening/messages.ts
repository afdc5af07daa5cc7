import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a match of names stays as it is. */
export const screeningRefusals = defineRefusals({
  match_decided: ({ by }: { by: string }) => t('{by} has decided this already.', { by }),
  own_decision: () => t('You decided this yourself. Ask another person to correct it.'),
  match_lapsed: () => t('This entry is no longer on the list, so there is nothing to decide.'),
})
