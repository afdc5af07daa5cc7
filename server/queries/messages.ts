import { msg, t, translate } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** What several people may change at once. */
export type Changed = 'answer' | 'figure' | 'plan' | 'policy' | 'profile'
export type Decided = 'deposit' | 'investment' | 'withdrawal' | 'earning' | 'return'

/** @property only the sentence that refuses it from another status */
export type Transition = { from: string; only: string }

/** What can be done to a request, and from which status. */
export const transitions = {
  deposit: {
    approved: { from: 'pending', only: msg('Only pending deposits can be approved.') },
    declined: { from: 'pending', only: msg('Only pending deposits can be declined.') },
    cancelled: { from: 'pending', only: msg('Only pending deposits can be cancelled.') },
    credited: { from: 'pending', only: msg('Only pending deposits can be credited as they arrived.') },
  },
  investment: {
    approved: { from: 'pending', only: msg('Only pending investments can be approved.') },
    declined: { from: 'pending', only: msg('Only pending investments can be declined.') },
    cancelled: { from: 'pending', only: msg('Only pending investments can be cancelled.') },
    closed: { from: 'active', only: msg('Only active investments can be closed.') },
    reinvested: { from: 'active', only: msg('Only active investments can be reinvested.') },
  },
  withdrawal: {
    approved: { from: 'pending', only: msg('Only pending withdrawals can be approved.') },
    declined: { from: 'pending', only: msg('Only pending withdrawals can be declined.') },
    cancelled: { from: 'pending', only: msg('Only pending withdrawals can be cancelled.') },
    paid: { from: 'approved', only: msg('Only approved withdrawals can be marked as paid.') },
  },
  earning: {
    approved: { from: 'pending', only: msg('Only pending earnings can be approved.') },
    declined: { from: 'pending', only: msg('Only pending earnings can be declined.') },
  },
  return: {
    approved: { from: 'pending', only: msg('Only pending returns can be approved.') },
    declined: { from: 'pending', only: msg('Only pending returns can be declined.') },
    proposed_to_void: { from: 'recorded', only: msg('Only recorded returns can be voided.') },
    voided: {
      from: 'void_proposed',
      only: msg('Only returns that are proposed to be voided can be voided.'),
    },
    kept: { from: 'void_proposed', only: msg('Only returns that are proposed to be voided can be kept.') },
  },
} as const satisfies Record<Decided, Record<string, Transition>>

/** What can be done to a kind of request. */
export type Done<T extends Decided> = keyof (typeof transitions)[T] & string

/** Refusals that several domains share. */
export const stateRefusals = defineRefusals({
  wrong_status: ({ thing, status, only }: { thing: Decided; status: string; only: string }) =>
    `${standing(thing, status)} ${translate(only)}`,
  all_paid_out: () => t('All of this return has been paid out, so there is nothing left to void.'),
  changed_meanwhile: ({ what }: { what: Changed }) =>
    t(
      '{what, select, answer {Someone else has just changed this answer.} plan {Someone else has just changed this plan.} figure {Someone else has just changed this figure.} policy {Someone else has just changed this policy.} other {Someone else has just changed this profile.}} Reload and try again.',
      { what },
    ),
})

function standing(thing: Decided, status: string): string {
  switch (thing) {
    case 'deposit':
      return t(
        'This deposit is {status, select, pending {still pending} paid {already paid} unpaid {already unpaid} declined {already declined} other {already cancelled}}.',
        { status },
      )
    case 'investment':
      return t(
        'This investment is {status, select, pending {still pending} active {already active} inactive {already inactive} declined {already declined} other {already cancelled}}.',
        { status },
      )
    case 'withdrawal':
      return t(
        'This withdrawal is {status, select, pending {still pending} approved {already approved} paid {already paid} declined {already declined} other {already cancelled}}.',
        { status },
      )
    case 'earning':
      return t(
        'This earning is {status, select, pending {still pending} paid {already paid} other {already declined}}.',
        { status },
      )
    case 'return':
      return t(
        'This return is {status, select, pending {still pending} recorded {already recorded} declined {already declined} voided {already voided} other {already proposed to be voided}}.',
        { status },
      )
  }
}
