import { When } from '#web/components/when.tsx'

/** When something was asked for, and under which number. */
export function RequestedCell({ at, invoiceId }: { at: string; invoiceId: string }) {
  return (
    <span className="block whitespace-nowrap">
      <When at={at} />
      <span className="block text-ink-faint text-sm">{invoiceId}</span>
    </span>
  )
}
