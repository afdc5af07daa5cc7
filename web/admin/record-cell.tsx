import type { ReactNode } from 'react'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'

/** A cell's value, and below it which record it is and since when. */
export function RecordCell({ children, note }: { children: ReactNode; note: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <span>{children}</span>
      <span className="text-ink-faint text-xs">{note}</span>
    </div>
  )
}

/** An amount with its record's number and date. */
export function AmountCell({ record }: { record: { amount: number; invoiceId: string; createdAt: string } }) {
  return (
    <RecordCell
      note={
        <>
          {record.invoiceId} · <When at={record.createdAt} />
        </>
      }
    >
      <span className="font-medium">
        <Usd value={record.amount} />
      </span>
    </RecordCell>
  )
}
