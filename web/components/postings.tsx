import type { StatementLine } from '#shared/contract/entities.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Usd } from './amounts.tsx'
import { When } from './when.tsx'

/** The accounts of an investor's books, in words (D3). */
export const accountNames: Record<StatementLine['account'], string> = {
  available: 'Available',
  invested: 'In plans',
  held: 'On hold',
}

const columns: readonly Column<StatementLine>[] = [
  { header: 'Date', cell: line => <When at={line.at} /> },
  { header: 'What', cell: line => line.description },
  { header: 'Account', cell: line => accountNames[line.account] },
  { header: 'Amount', cell: line => <Signed value={line.amount} />, numeric: true },
  { header: 'Balance after', cell: line => <Usd value={line.balance} />, numeric: true },
]

/** What came says so by its sign, not by colour alone. */
function Signed({ value }: { value: number }) {
  return (
    <span className={value > 0 ? 'text-good' : undefined}>
      {value > 0 && '+'}
      <Usd value={value} />
    </span>
  )
}

/** Postings on the accounts of one investor, each with the balance of its account after it. */
export function Postings({ caption, lines }: { caption: string; lines: readonly StatementLine[] }) {
  return <Table caption={caption} columns={columns} rows={lines} keyOf={line => line._id} />
}
