import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'

/** A cell's value with a note below. */
export function RecordCell({ children, note }: { children: ReactNode; note?: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <span>{children}</span>
      {note && <span className="text-ink-faint text-xs">{note}</span>}
    </div>
  )
}

type Numbered = { invoiceId: string; createdAt: string }

/**
 * A record's number and date.
 * @param props.to its page, unless the cell's value links there
 */
export function NumberAndDate({ record, to }: { record: Numbered; to?: string }) {
  return (
    <span className="flex flex-wrap justify-end gap-x-2 min-[44rem]:justify-start">
      <span className="whitespace-nowrap">
        {to === undefined ? (
          record.invoiceId
        ) : (
          <Link className="prose-link" to={to}>
            {record.invoiceId}
          </Link>
        )}
      </span>
      <When at={record.createdAt} />
    </span>
  )
}

/** An amount with its record's number, link and date. */
export function AmountCell({ record, to }: { record: Numbered & { amount: number }; to: string }) {
  return (
    <RecordCell note={<NumberAndDate record={record} to={to} />}>
      <span className="font-medium">
        <Usd value={record.amount} />
      </span>
    </RecordCell>
  )
}
