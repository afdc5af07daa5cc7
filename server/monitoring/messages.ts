import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a case stays as it is. */
export const monitoringRefusals = defineRefusals({
  case_moved: () =>
    t('More has moved since you opened this case. Reload the page, and look at the new movements.'),
  case_decided: ({ by }: { by: string }) => t('{by} has decided this case already.', { by }),
})
