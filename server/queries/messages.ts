import { defineRefusals } from '#shared/refusals.ts'

export type Decided = 'deposit' | 'investment' | 'withdrawal' | 'earning' | 'return'

/** Refusals that several domains share. */
export const stateRefusals = defineRefusals({
  wrong_status: ({
    thing,
    status,
    needed,
    done,
  }: {
    thing: Decided
    status: string
    needed: string
    done: string
  }) =>
    `This ${thing} is ${status === 'pending' ? 'still pending' : `already ${status}`}. Only ${needed} ${thing}s can be ${done}.`,
  all_paid_out: () => 'All of this return has been paid out, so there is nothing left to void.',
  changed_meanwhile: ({ what }: { what: string }) =>
    `Someone else has just changed this ${what}. Reload and try again.`,
})
