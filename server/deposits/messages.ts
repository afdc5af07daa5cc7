import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumOpenDeposits, monitoringHours } from '#shared/limits.ts'
import { maxUsdCents } from '#shared/money.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why a deposit stays as it is, or why we do not credit it yet. */
export const depositRefusals = defineRefusals({
  deposits_closed: () =>
    t('We are not accepting new deposits at present. Payments already requested will still be credited.'),
  too_many_open: () =>
    t(
      'You have {count} open deposits, the most at a time. Pay one of them. If you have paid, wait until our team has checked it. Unpaid ones expire, each {hours} hours after its payment window.',
      { count: maximumOpenDeposits, hours: monitoringHours },
    ),
  account_closed: () => t('Its owner has closed the account. We will credit it if the account is reopened.'),
  account_frozen: () => t('We will credit it once the account is no longer frozen.'),
  rate_missing: () => t('No rate is on record for its arrival, so our team reviews it first.'),
  listed_sender: () =>
    t(
      'It came from an address on a sanctions list, so our team reviews it before we credit it. Contact us if you have questions.',
    ),
  review_required: () => t('It is large, so our team reviews it before we credit it. The payment is safe.'),
  daily_limit: () =>
    t(
      'More has arrived in 24 hours than we credit without a review, so our team compares it with another source first. The payment is safe.',
    ),
  second_source: () =>
    t(
      'A second source has to show it too before we credit it, or our team compares it. The payment is safe.',
    ),
  above_maximum: () =>
    t(
      'The network shows a payment of more than the maximum amount, {maximum}. Verify it with an independent node; this one may be faulty.',
      { maximum: localUsd(maxUsdCents) },
    ),
  changed_since_review: () => t('The network does not show what you reviewed. Review the payment again.'),
  sender_listed: () =>
    t('A sender of this payment is now on a sanctions list. Reload in a minute and review it again.'),
  changed_since_shown: () => t('This payment has changed since you opened it. Review it again.'),
  nothing_to_review: () =>
    t('Nothing left to review: the payment matches its request, or a colleague has reviewed it.'),
  nothing_to_credit: () => t('No part of this payment can be credited now. Reload to see its current state.'),
  unsolicited_without_rate: () =>
    t(
      'This payment was not requested and no rate is on record for its arrival time. Credit what arrived instead, at the rate of that time.',
    ),
  already_ended: ({ ended }: { ended: 'declined' | 'cancelled' }) =>
    t(
      'This deposit is already {ended, select, declined {declined} other {cancelled}}. If its payment arrived after all, enter when it did.',
      { ended },
    ),
  payment_seen: ({ forInvestment }: { forInvestment: boolean }) =>
    forInvestment
      ? t(
          'We see your payment on the network, so you cannot cancel it. We will credit it once it is confirmed. You can then cancel the investment and keep the money on your balance.',
        )
      : t(
          'We see your payment on the network, so you cannot cancel it. We will credit it once it is confirmed.',
        ),
  payment_reversed: () =>
    t('The network reversed this payment after we credited it, so you cannot cancel it. Please contact us.'),
  not_covered: ({ invoice, arrivedCents, amountCents }: NotCovered) =>
    t(
      'The payment is worth {arrived}, less than the investment of {amount}. Approve its deposit {invoice} instead: the money goes to the balance, and the investment is declined.',
      { arrived: localUsd(arrivedCents), amount: localUsd(amountCents), invoice },
    ),
  debt_open: ({ invoice, debtCents, nextStep }: OpenDebt) =>
    t('This investor owes {debt} from the reversed deposit {invoice}. {nextStep}', {
      debt: localUsd(debtCents),
      invoice,
      nextStep,
    }),
})

export type DepositRefusal = RefusalOf<typeof depositRefusals>

type NotCovered = { invoice: string; arrivedCents: bigint; amountCents: bigint }
type OpenDebt = { invoice: string; debtCents: bigint; nextStep: string }
