import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** What several people may change at once. */
export type Changed = 'answer' | 'figure' | 'plan' | 'policy' | 'profile'
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
  }) => `${standing(thing, status)} ${only(thing, needed, done)}`,
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

function only(thing: Decided, needed: string, done: string): string {
  switch (thing) {
    case 'deposit':
      return t(
        'Only pending deposits can be {done, select, approved {approved} declined {declined} cancelled {cancelled} other {credited as it arrived}}.',
        { done },
      )
    case 'investment':
      return needed === 'pending'
        ? t(
            'Only pending investments can be {done, select, approved {approved} declined {declined} other {cancelled}}.',
            { done },
          )
        : t('Only active investments can be {done, select, closed {closed} other {reinvested}}.', { done })
    case 'withdrawal':
      return needed === 'pending'
        ? t(
            'Only pending withdrawals can be {done, select, approved {approved} declined {declined} other {cancelled}}.',
            { done },
          )
        : t('Only approved withdrawals can be marked as paid.')
    case 'earning':
      return t('Only pending earnings can be {done, select, approved {approved} other {declined}}.', { done })
    case 'return':
      switch (needed) {
        case 'pending':
          return t('Only pending returns can be {done, select, approved {approved} other {declined}}.', {
            done,
          })
        case 'recorded':
          return t('Only recorded returns can be voided.')
        default:
          return t(
            'Only proposed to be voided returns can be {done, select, voided {voided} other {kept}}.',
            {
              done,
            },
          )
      }
  }
}
