import { Fragment } from 'react'
import { cx } from '#web/ui/cx.ts'

/** Group size that people compare at a glance. */
const groupLength = 4

/** An address in groups for comparison; copied without gaps. */
export function GroupedAddress({ address }: { address: string }) {
  const groups = Array.from({ length: Math.ceil(address.length / groupLength) }, (_, place) =>
    address.slice(place * groupLength, (place + 1) * groupLength),
  )
  return (
    <span dir="ltr" className="font-medium tabular-nums">
      {groups.map((group, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, which never move.
        <Fragment key={place}>
          <span className={cx(place < groups.length - 1 && 'mr-[0.75ch]')}>{group}</span>
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}
