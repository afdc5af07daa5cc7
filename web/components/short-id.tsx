import { CopyButton } from '#web/ui/copy-button.tsx'

type IdProps = { id: string; name: 'transaction id' | 'address' | 'block hash' }

/** Characters shown of each end: too many to find another address that looks alike. */
const shown = 8

/** The two ends of a transaction id or an address, with a button that copies all of it. */
export function ShortId({ id, name }: IdProps) {
  return (
    <span className="inline-flex items-center whitespace-nowrap tabular-nums">
      <span title={id}>{`${id.slice(0, shown)}…${id.slice(-shown)}`}</span>
      <CopyButton bare text={id} label={`Copy ${name}`} />
    </span>
  )
}

/** All of it, with the same button. */
export function WholeId({ id, name }: IdProps) {
  return (
    <span className="tabular-nums">
      <span className="wrap-anywhere">{id}</span> <CopyButton bare text={id} label={`Copy ${name}`} />
    </span>
  )
}
