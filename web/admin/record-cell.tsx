import type { ReactNode } from 'react'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'

/** A cell's value, and below it which record it is and since when. */
export function RecordCell({ children, note }: { children: ReactNode; note?: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <span>{children}</span>
      {note && <span className="text-ink-faint text-xs">{note}</span>}
    </div>
  )
}

/** A record's number and since when it is there; one below the other where there is no room. */
export function NumberAndDate({ record }: { record: { invoiceId: string; createdAt: string } }) {
  return (
    <span className="flex flex-wrap justify-end gap-x-2 min-[44rem]:justify-start">
      <span className="whitespace-nowrap">{record.invoiceId}</span>
      <When at={record.createdAt} />
    </span>
  )
}

/** An amount with its record's number and date. */
export function AmountCell({ record }: { record: { amount: number; invoiceId: string; createdAt: string } }) {
  return (
    <RecordCell note={<NumberAndDate record={record} />}>
      <span className="font-medium">
        <Usd value={record.amount} />
      </span>
    </RecordCell>
  )
}
