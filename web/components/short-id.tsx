import { CopyButton } from '#web/ui/copy-button.tsx'

/** Characters shown of each end. */
const shown = 6

/** The two ends of a transaction id or an address, with a button that copies all of it. */
export function ShortId({
  id,
  name,
}: {
  id: string
  name: 'transaction id' | 'wallet address' | 'block hash'
}) {
  return (
    <span className="inline-flex items-center whitespace-nowrap tabular-nums">
      <span title={id}>{`${id.slice(0, shown)}…${id.slice(-shown)}`}</span>
      <CopyButton bare text={id} label={`Copy ${name}`} />
    </span>
  )
}
