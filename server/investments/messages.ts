import { defineRefusals } from '#shared/refusals.ts'

/** Why an investment stays as it is. */
export const investmentRefusals = defineRefusals({
  deposit_reversed: ({ invoice }: { invoice: string }) =>
    `The network reversed its payment ${invoice}. Wait until it is confirmed again, or decline the investment.`,
})
