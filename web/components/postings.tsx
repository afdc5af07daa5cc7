import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { NavigationType, useNavigationType } from 'react-router'
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
  /** A whole statement, not the few postings of one record. */
  long?: boolean
}

/** More lines than fit a screen. */
const atFirst = 20

/** Postings on the accounts of one investor, each with the balance of its account after it. */
export function Postings({ caption, lines, what, long }: PostingsProps) {
  const columns = useMemo(() => columnsWith(what), [what])
  // A new page shows the lines in sight, and all of them a frame later: a long list does not hold it up. The way back needs
  // the whole height at once, to be where one was.
  const isWayBack = useNavigationType() === NavigationType.Pop
  const rows = useDeferredValue(lines, isWayBack ? lines : lines.slice(0, atFirst))
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={line => line._id}
      tracks={long ? '[--tracks:10.5rem_minmax(6rem,1fr)_7.25rem_10rem_9rem]' : undefined}
    />
  )
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
