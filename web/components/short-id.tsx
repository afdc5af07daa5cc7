import { msg, translate } from '#shared/i18n/t.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'

const labels = {
  'transaction id': msg('Copy transaction id'),
  address: msg('Copy address'),
  'block hash': msg('Copy block hash'),
}

type IdProps = { id: string; name: keyof typeof labels }

/** Characters shown of each end: too many to find another address that looks alike. */
const shown = 8

/** The two ends of a transaction id or an address, with a button that copies all of it. */
export function ShortId({ id, name }: IdProps) {
  return (
    <span className="inline-flex items-center whitespace-nowrap tabular-nums">
      <span dir="ltr" title={id}>{`${id.slice(0, shown)}…${id.slice(-shown)}`}</span>
      <CopyButton bare text={id} label={translate(labels[name])} />
    </span>
  )
}

/** All of it, with the same button. */
export function WholeId({ id, name }: IdProps) {
  return (
    <span className="tabular-nums">
      <span dir="ltr" className="wrap-anywhere">
        {id}
      </span>{' '}
      <CopyButton bare text={id} label={translate(labels[name])} />
    </span>
  )
}
