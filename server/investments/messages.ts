import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why an investment stays as it is. */
export const investmentRefusals = defineRefusals({
  deposit_reversed: ({ invoice }: { invoice: string }) =>
    t(
      'The network reversed its payment {invoice}. Wait until it is confirmed again, or decline the investment.',
      { invoice },
    ),
  nothing_invested: () =>
    t(
      'We confirm an investment once it is approved. Pending, declined and cancelled investments have no letter.',
    ),
})
