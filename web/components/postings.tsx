import { type ReactNode, useMemo } from 'react'
import type { StatementLine } from '#shared/contract/entities.ts'
import { formatUsdJson } from '#shared/money.ts'
import { accountNames } from '#shared/statement.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Amount, Usd } from './amounts.tsx'
import { When } from './when.tsx'

type PostingsProps = {
  caption: string
  lines: readonly StatementLine[]
  /** What a line is called, where that leads somewhere; else its own words. The same function at every rendering. */
  what?: (line: StatementLine) => ReactNode
}

/** Postings on the accounts of one investor, each with the balance of its account after it. */
export function Postings({ caption, lines, what }: PostingsProps) {
  const columns = useMemo(() => columnsWith(what), [what])
  return <Table caption={caption} columns={columns} rows={lines} keyOf={line => line._id} />
}

function columnsWith(what: PostingsProps['what']): readonly Column<StatementLine>[] {
  return [
    { header: 'Date', cell: line => <When at={line.at} /> },
    { header: 'What', cell: what ?? (line => line.description) },
    {
      header: 'Account',
      cell: line => <span className="whitespace-nowrap">{accountNames[line.account]}</span>,
    },
    { header: 'Amount', cell: line => <Signed value={line.amount} />, numeric: true },
    { header: 'Balance after', cell: line => <Usd value={line.balance} />, numeric: true },
  ]
}

/** What came says so by its sign, not by colour alone. */
function Signed({ value }: { value: number }) {
  return (
    <span className={value > 0 ? 'text-good' : undefined}>
      <Amount>{`${value > 0 ? '+' : ''}${formatUsdJson(value)}`}</Amount>
    </span>
  )
}
