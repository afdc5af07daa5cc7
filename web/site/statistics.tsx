import { type Site, useSite } from '#web/frame.ts'
import { utcDay } from './utc.ts'

/** Where a figure comes from, in words; no figure about the business is shown without it (D1.3, P-04). */
function provenance({ kind, source, asOf }: Site['statistics'][number]): string {
  if (kind === 'sample') return `Sample figure. ${source}`
  return kind === 'ledger'
    ? `Measured from the ledger, as of ${utcDay(asOf)}`
    : `${source}, as of ${utcDay(asOf)}`
}

/** The figures of the home page, each with its provenance below it. */
export function Statistics() {
  const { statistics } = useSite()
  if (statistics.length === 0) return null
  return (
    <dl className="grid grid-cols-2 gap-x-8 gap-y-10">
      {statistics.map(statistic => (
        <div key={statistic.label} data-statistic={statistic.kind} className="grid content-start gap-1">
          <dt className="order-2 font-medium">{statistic.label}</dt>
          <dd className="display order-1 text-3xl tabular-nums">{statistic.value}</dd>
          <dd className="order-3 text-ink-faint text-xs">{provenance(statistic)}</dd>
        </div>
      ))}
    </dl>
  )
}
