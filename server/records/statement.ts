import type { LedgerEvent } from '#server/ledger/chart.ts'
import type { StatementLine as LedgerLine } from '#server/ledger/statement.ts'
import type { StatementLine } from '#shared/contract/entities.ts'
import { usdToJson } from '#shared/money.ts'

/** What a business event is called on a statement. */
const descriptions: Record<LedgerEvent, string> = {
  'deposit.settled': 'Deposit received',
  'investment.funded': 'Payment received and invested',
  'investment.requested': 'Held for an investment',
  'investment.approved': 'Invested',
  'investment.declined': 'Investment declined, money released',
  'investment.closed': 'Investment closed, principal returned',
  'withdrawal.requested': 'Held for a withdrawal',
  'withdrawal.paid': 'Withdrawal paid',
  'withdrawal.declined': 'Withdrawal declined, money released',
  'return.recorded': 'Return recorded',
  'return.voided': 'Return taken back',
  'earning.paid': 'Earning',
}

export function presentLine(line: LedgerLine): StatementLine {
  return {
    _id: line.id.toString(),
    at: line.at.toISOString(),
    event: line.event,
    description: descriptions[line.event],
    account: line.kind,
    amount: usdToJson(line.amount),
    balance: usdToJson(line.balance),
    referenceKind: line.reference_kind,
    reference: line.reference_id,
  }
}
