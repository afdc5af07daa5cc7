import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why the demo wallet does not pay a deposit. */
export const demoRefusals = defineRefusals({
  not_payable: () => t('The demo wallet pays only pending deposits in ether with an address of their own.'),
})
