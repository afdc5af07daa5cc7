import { t } from '#shared/i18n/t.ts'
import { FigureLabel, figureValue } from '#web/components/figure.tsx'
import { FirmWords } from '#web/components/firm-words.tsx'
import { type Site, useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { utcDay } from './utc.ts'

type Statistic = Site['statistics'][number]

/** A figure's source in words; no business figure is shown without it (D1.3, P-04). */
function Provenance({ kind, source, link, asOf }: Statistic) {
  if (kind === 'sample')
    return (
      <>
        {t('Sample figure.')} <FirmWords>{source}</FirmWords>
      </>
    )
  if (kind === 'ledger') return t('From our ledger, as of {day}', { day: utcDay(asOf) })
  return (
    <>
      {tr('{source}, as of {day}', {
        source:
          link === null ? (
            <FirmWords>{source}</FirmWords>
          ) : (
            <a className="prose-link" href={link} rel="noopener nofollow">
              <FirmWords>{source}</FirmWords>
            </a>
          ),
        day: utcDay(asOf),
      })}
    </>
  )
}

/** The figures of the home page, each with its source. */
export function Statistics() {
  const { statistics } = useSite()
  if (statistics.length === 0) {
    return (
      <p className="border-rule border-y py-6 text-ink-soft">
        {t('No figures yet. We publish only figures from our ledger, or with a source and date.')}
      </p>
    )
  }
  return (
    <dl className="border-rule border-b">
      {statistics.map(statistic => (
        <div
          key={statistic.label}
          data-statistic={statistic.kind}
          data-as-of={statistic.asOf}
          className="grid grid-cols-[1fr_auto] items-baseline gap-x-6 border-rule border-t py-4"
        >
          <dt className="font-medium text-lg">
            <FigureLabel {...statistic} />
          </dt>
          <dd dir="auto" className="display row-span-2 text-3xl tabular-nums">
            {figureValue(statistic)}
          </dd>
          <dd className="text-ink-faint text-xs">
            <Provenance {...statistic} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
