import { type ReactNode, useDeferredValue, useMemo } from 'react'
import type { StatementLine } from '#shared/contract/entities.ts'
import { formatUsdJson } from '#shared/money.ts'
import { accountNames } from '#shared/statement.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Amount, Usd } from './amounts.tsx'
import { When } from './when.tsx'

type PostingsProps = {
  caption: string
  lines: readonly StatementLine[]
  /** Renders a line's description. Must be a stable function. */
  what?: (line: StatementLine) => ReactNode
  /** A whole statement instead of one record's few postings. */
  long?: boolean
}

/** Postings of one investor, each with the balance after it. */
export function Postings({ caption, lines, what, long }: PostingsProps) {
  const columns = useMemo(() => columnsWith(what), [what])
  // The page answers while many lines render.
  const rows = useDeferredValue(lines)
  return (
    <div className="movements">
      <Table
        caption={caption}
        columns={columns}
        rows={rows}
        keyOf={line => line._id}
        tracks={long ? '[--tracks:10.5rem_minmax(6rem,1fr)_7.25rem_10rem_9rem]' : undefined}
      />
    </div>
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

/** Credits have a plus sign, not just a colour. */
function Signed({ value }: { value: number }) {
  return (
    <span className={value > 0 ? 'text-good' : undefined}>
      <Amount>{`${value > 0 ? '+' : ''}${formatUsdJson(value)}`}</Amount>
    </span>
  )
}
