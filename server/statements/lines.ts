import { type Kysely, sql } from 'kysely'
import type { LedgerEvent, StatementKind } from '#server/ledger/chart.ts'
import type { StatementLine as LedgerLine } from '#server/ledger/statement.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { StatementLine } from '#shared/contract/entities.ts'
import { msg } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'

/** The name of each business event on a statement; `translate` writes it for people. */
const eventWords: Record<LedgerEvent, string> = {
  'deposit.settled': msg('Deposit received'),
  'deposit.added': msg('Further payment of a deposit received'),
  'deposit.reversed': msg('Deposit reversed by its network'),
  'investment.funded': msg('Payment received and invested'),
  'investment.requested': msg('Held for an investment'),
  'investment.approved': msg('Invested'),
  'investment.declined': msg('Investment declined, money released'),
  'investment.closed': msg('Investment closed, principal returned'),
  'withdrawal.requested': msg('Held for a withdrawal'),
  'withdrawal.paid': msg('Withdrawal paid'),
  'withdrawal.declined': msg('Withdrawal declined, money released'),
  'return.recorded': msg('Return recorded'),
  'return.voided': msg('Return voided'),
  'earning.paid': msg('Earning'),
}

/** The same of a request that its owner has cancelled: posted like a decline. */
const cancelledWords: Partial<Record<LedgerEvent, string>> = {
  'investment.declined': msg('Investment cancelled, money released'),
  'withdrawal.declined': msg('Withdrawal cancelled, money released'),
}

export function describeEvent(event: LedgerEvent, isCancelled: boolean): string {
  return (isCancelled && cancelledWords[event]) || eventWords[event]
}

/** Ledger lines in English words, with the number of each line's record. */
export async function presentLines(
  db: Kysely<Schema>,
  lines: readonly LedgerLine[],
): Promise<StatementLine[]> {
  const records = await recordsOf(db, lines)
  return lines.map(line => presentLine(line, records.get(line.reference_id)))
}

function presentLine(line: LedgerLine, record: RecordNumber | undefined): StatementLine {
  return {
    _id: line.id.toString(),
    at: line.at.toISOString(),
    event: line.event,
    description: describeEvent(line.event, record?.cancelled ?? false),
    account: line.kind,
    amount: usdToJson(line.amount),
    balance: usdToJson(line.balance),
    kind: line.reference_kind,
    reference: line.reference_id,
    transaction: line.transaction_id,
    invoiceId: record?.invoice_id ?? null,
    note: line.memo,
  }
}

type RecordNumber = { id: string; invoice_id: string; cancelled: boolean }

/** Numbers by record id, and whether its owner cancelled it; an earning has its investment's number. */
async function recordsOf(
  db: Kysely<Schema>,
  lines: readonly LedgerLine[],
): Promise<Map<string, RecordNumber>> {
  if (lines.length === 0) return new Map()
  const ids = (kind: StatementKind) => [
    ...new Set(lines.filter(line => line.reference_kind === kind).map(line => line.reference_id)),
  ]
  const { rows } = await sql<RecordNumber>`
    SELECT id, invoice_id, false AS cancelled FROM app.deposits WHERE id = ANY (${ids('deposit')}::uuid[])
     UNION ALL
    SELECT id, invoice_id, cancelled_by IS NOT NULL FROM app.investments WHERE id = ANY (${ids('investment')}::uuid[])
     UNION ALL
    SELECT id, invoice_id, cancelled_by IS NOT NULL FROM app.withdrawals WHERE id = ANY (${ids('withdrawal')}::uuid[])
     UNION ALL
    SELECT e.id, i.invoice_id, false FROM app.earnings e JOIN app.investments i ON i.id = e.investment_id
     WHERE e.id = ANY (${ids('earning')}::uuid[])`.execute(db)
  return new Map(rows.map(row => [row.id, row]))
}
