import { When } from '#web/components/when.tsx'

/** When a record was requested, and its number. */
export function RequestedCell({ at, invoiceId }: { at: string; invoiceId: string }) {
  return (
    <span className="block whitespace-nowrap">
      <When at={at} />
      <span className="block text-ink-faint text-sm">{invoiceId}</span>
    </span>
  )
}
