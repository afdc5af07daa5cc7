import { defineRefusals } from '#shared/refusals.ts'

export type Decided = 'deposit' | 'investment' | 'withdrawal' | 'earning'

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
  changed_meanwhile: ({ what }: { what: string }) =>
    `Someone else has just changed this ${what}. Reload and try again.`,
})
