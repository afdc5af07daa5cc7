import { recordTemplates, type Template } from '#server/notifications/template.ts'
import { formatUsd } from '#shared/money.ts'
import type { DepositRow } from './deposit-row.ts'
import { depositsById, presentDeposit } from './queries.ts'

/** Deposit events as the investor reads them. */
export const depositTemplates = recordTemplates({
  load: depositsById,
  events: {
    approved: deposit(credited, stage),
    underpaid: deposit(() => ['was underpaid'], stage),
    added: deposit(() => ['received a further payment'], stage),
    reversed: deposit(() => ['was reversed by its network'], stage),
    declined: deposit(
      () => ['was declined'],
      ({ decline_reason }) => [`Reason: ${decline_reason}`],
    ),
    cancelled: deposit(() => ['was cancelled'], stillCredited),
    unpaid: deposit(() => ['was not paid in time'], stillCredited),
  },
})

function deposit(
  happened: (row: DepositRow) => [event: string, outcome?: string],
  details: (row: DepositRow, now: Date) => string[],
): Template<DepositRow> {
  return (row, now) => {
    const [event, outcome = ''] = happened(row)
    return {
      userId: row.user_id,
      headline: `Your deposit ${row.invoice_id} ${event}`,
      text: `Your deposit ${row.invoice_id} of ${formatUsd(row.amount_cents)} ${event}${outcome}.`,
      details: details(row, now),
    }
  }
}

function stillCredited(): string[] {
  return ["If your payment still arrives, we'll credit it."]
}

function stage(row: DepositRow, now: Date): string[] {
  return [presentDeposit(row, now).label]
}

/** A payment that deviates from its quote is never reported as if it had come as requested. */
function credited({ deviation, credited_cents }: DepositRow): [string, string?] {
  if (deviation === null) return ['was received']
  const event = { underpaid: 'was underpaid', overpaid: 'was overpaid', late: 'was paid late' }[deviation]
  return [event, `: ${formatUsd(credited_cents!)} was credited`]
}
