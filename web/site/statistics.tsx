import { type Site, useSite } from '#web/frame.ts'
import { utcDay } from './utc.ts'

/** Where a figure comes from, in words; no figure about the business is shown without it (D1.3, P-04). */
function provenance({ kind, source, asOf }: Site['statistics'][number]): string {
  if (kind === 'sample') return `Sample figure. ${source}`
  return kind === 'ledger'
    ? `Measured from the ledger, as of ${utcDay(asOf)}`
    : `${source}, as of ${utcDay(asOf)}`
}

/** The figures of the home page, set like those of an annual report, each with its provenance. */
export function Statistics() {
  const { statistics } = useSite()
  return (
    <dl className="border-rule border-b">
      {statistics.map(statistic => (
        <div
          key={statistic.label}
          data-statistic={statistic.kind}
          className="grid grid-cols-[1fr_auto] items-baseline gap-x-6 border-rule border-t py-4"
        >
          <dt className="font-medium text-lg">{statistic.label}</dt>
          <dd className="display row-span-2 text-3xl tabular-nums">{statistic.value}</dd>
          <dd className="text-ink-faint text-xs">{provenance(statistic)}</dd>
        </div>
      ))}
    </dl>
  )
}
