import { recordTemplates, type Template } from '#server/notifications/template.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import type { DepositRow } from './deposit-row.ts'
import { depositsById, presentDeposit } from './queries.ts'

type Of = { invoice: string; amount: string }
/** Headline and text. */
type Words = [headline: string, text: string]

/** Deposit events as the investor reads them. */
export const depositTemplates = recordTemplates({
  load: depositsById,
  events: {
    approved: deposit(credited, stage),
    underpaid: deposit(
      ({ invoice, amount }) => [
        t('Your deposit {invoice} was underpaid', { invoice }),
        t('Your deposit {invoice} of {amount} was underpaid.', { invoice, amount }),
      ],
      stage,
    ),
    added: deposit(
      ({ invoice, amount }) => [
        t('Your deposit {invoice} received a further payment', { invoice }),
        t('Your deposit {invoice} of {amount} received a further payment.', { invoice, amount }),
      ],
      stage,
    ),
    reversed: deposit(
      ({ invoice, amount }) => [
        t('Your deposit {invoice} was reversed by its network', { invoice }),
        t('Your deposit {invoice} of {amount} was reversed by its network.', { invoice, amount }),
      ],
      stage,
    ),
    declined: deposit(
      ({ invoice, amount }) => [
        t('Your deposit {invoice} was declined', { invoice }),
        t('Your deposit {invoice} of {amount} was declined.', { invoice, amount }),
      ],
      ({ decline_reason }) => [t('Reason: {reason}', { reason: decline_reason! })],
    ),
    cancelled: deposit(
      ({ invoice, amount }) => [
        t('Your deposit {invoice} was cancelled', { invoice }),
        t('Your deposit {invoice} of {amount} was cancelled.', { invoice, amount }),
      ],
      stillCredited,
    ),
    unpaid: deposit(
      ({ invoice, amount }) => [
        t('Your deposit {invoice} was not paid in time', { invoice }),
        t('Your deposit {invoice} of {amount} was not paid in time.', { invoice, amount }),
      ],
      stillCredited,
    ),
  },
})

function deposit(
  words: (of: Of, row: DepositRow) => Words,
  details: (row: DepositRow, now: Date) => string[],
): Template<DepositRow> {
  return (row, now) => {
    const [headline, text] = words({ invoice: row.invoice_id, amount: localUsd(row.amount_cents) }, row)
    return { userId: row.user_id, headline, text, details: details(row, now) }
  }
}

function stillCredited(): string[] {
  return [t("If your payment still arrives, we'll credit it.")]
}

function stage(row: DepositRow, now: Date): string[] {
  return [presentDeposit(row, now).label]
}

/** A payment that deviates from its quote is never reported as if it had come as requested. */
function credited({ invoice, amount }: Of, { deviation, credited_cents }: DepositRow): Words {
  if (deviation === null) {
    return [
      t('Your deposit {invoice} was received', { invoice }),
      t('Your deposit {invoice} of {amount} was received.', { invoice, amount }),
    ]
  }
  const credited = localUsd(credited_cents!)
  const of = { invoice, amount, credited }
  switch (deviation) {
    case 'underpaid':
      return [
        t('Your deposit {invoice} was underpaid', { invoice }),
        t('Your deposit {invoice} of {amount} was underpaid: {credited} was credited.', of),
      ]
    case 'overpaid':
      return [
        t('Your deposit {invoice} was overpaid', { invoice }),
        t('Your deposit {invoice} of {amount} was overpaid: {credited} was credited.', of),
      ]
    default:
      return [
        t('Your deposit {invoice} was paid late', { invoice }),
        t('Your deposit {invoice} of {amount} was paid late: {credited} was credited.', of),
      ]
  }
}
