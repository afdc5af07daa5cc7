import { useState } from 'react'
import { earningsByMonth } from '#shared/contract/ledger.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { Cents, Usd, useAmountWords } from '#web/components/amounts.tsx'
import { zone } from '#web/components/days.ts'
import type { PeriodChoice } from '#web/components/period/use-period.ts'
import { ScrollRegion } from '#web/dashboard/scroll-region.tsx'
import { monthWords } from '#web/local-time.ts'
import { tr } from '#web/tr.ts'
import { ChartFrame, charts, stateOf } from './frame.tsx'
import { LazyPlot } from './lazy-plot.tsx'
import { monthNames } from './month-names.ts'
import { type Earnings, type MonthPoint, monthPoints, yearsOf } from './series.ts'

type EarningsProps = {
  period: PeriodChoice
  /** Shows the month grid below the bars instead of replacing them. */
  withGrid?: boolean
}

/** Earnings by month as bars and as a grid of years and months. */
export function EarningsByMonth({ period: { days, daysError }, withGrid = false }: EarningsProps) {
  const { data, isError, isPlaceholderData, refetch } = useRead(
    earningsByMonth,
    { query: { ...days, zone: zone() } },
    { enabled: daysError === undefined, keep: true },
  )
  const points = data && monthPoints(data)
  const state = stateOf({ daysError, isError, isThere: data && data.total !== 0 })
  return (
    <>
      <ChartFrame
        {...charts.earnings}
        state={state}
        isLate={isPlaceholderData}
        onRetry={() => void refetch()}
        words={data && <EarningsWords earnings={data} points={points!} />}
        empty={daysError ?? t('No earnings in this period. Earnings appear in the month they are credited.')}
        table={!withGrid && points && <MonthGrid points={points} />}
      >
        {points && <Chart key={`${points[0]?.month} ${points.length}`} points={points} />}
      </ChartFrame>
      {withGrid && state === 'there' && points && (
        <div className="mt-6">
          <ScrollRegion label={t('Monthly earnings')}>
            <MonthGrid points={points} />
          </ScrollRegion>
        </div>
      )}
    </>
  )
}

function EarningsWords({ earnings, points }: { earnings: Earnings; points: readonly MonthPoint[] }) {
  const [first, last] = [points[0]!, points.at(-1)!]
  const earning = points.filter(({ earned }) => earned > 0n)
  const most = earning.reduce((best, point) => (point.earned > best.earned ? point : best))
  const total = <Usd value={earnings.total} />
  if (first === last) {
    return tr('You earned {total} in {month}. Deposits are not included.', {
      total,
      month: monthWords(first.month),
    })
  }
  return tr(
    'You earned {total} from {firstMonth} to {lastMonth}, in {months} of {allMonths} months; your best month was {bestMonth} with {best}. Deposits are not included.',
    {
      total,
      firstMonth: monthWords(first.month),
      lastMonth: monthWords(last.month),
      months: earning.length,
      allMonths: points.length,
      bestMonth: monthWords(most.month),
      best: <Cents cents={most.earned} />,
    },
  )
}

function Chart({ points }: { points: readonly MonthPoint[] }) {
  const [chosen, setChosen] = useState<number>()
  const words = useAmountWords()
  const shown = points[chosen ?? points.length - 1]!
  return (
    <div className="grid min-h-0 grid-cols-1 grid-rows-[auto_minmax(0,1fr)] gap-2">
      <p className="flex gap-x-3 text-sm">
        <span className="text-ink-soft">{monthWords(shown.month)}</span>
        <span className="numeral">
          <Cents cents={shown.earned} />
        </span>
      </p>
      <LazyPlot
        draw={({ EarningsPlot }) => (
          <EarningsPlot
            points={points}
            chosen={chosen}
            onChoose={setChosen}
            label={t('Earnings by month: use the arrow keys to choose a month')}
            value={`${monthWords(shown.month)}: ${words(shown.earned)}`}
          />
        )}
      />
    </div>
  )
}

/** Years as rows, months as columns, with totals. */
function MonthGrid({ points }: { points: readonly MonthPoint[] }) {
  const years = yearsOf(points)
  const add = (sum: bigint, cents: bigint | null) => sum + (cents ?? 0n)
  const ofMonth = (n: number) => years.map(({ months }) => months[n]!).reduce<bigint>(add, 0n)
  return (
    <table className="month-grid">
      <caption className="sr-only">{t('Earnings by month, one row per year')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('Year')}</th>
          {monthNames().map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">{t('Total')}</th>
        </tr>
      </thead>
      <tbody>
        {years.map(({ year, months, total }) => (
          <tr key={year}>
            <th scope="row">{year}</th>
            {months.map((cents, n) => (
              <td key={monthNames()[n]}>{cents === null ? <NoMonth /> : <MonthCents cents={cents} />}</td>
            ))}
            <td>
              <Cents cents={total} />
            </td>
          </tr>
        ))}
      </tbody>
      {years.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">{t('Total')}</th>
            {monthNames().map((name, n) => (
              <td key={name}>
                <MonthCents cents={ofMonth(n)} />
              </td>
            ))}
            <td>
              <Cents cents={years.reduce((sum, { total }) => sum + total, 0n)} />
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}

function MonthCents({ cents }: { cents: bigint }) {
  return (
    <span className={cents === 0n ? 'text-ink-faint' : undefined}>
      <Cents cents={cents} />
    </span>
  )
}

function NoMonth() {
  return (
    <>
      <span aria-hidden="true" className="text-ink-faint">
        –
      </span>
      <span className="sr-only">{t('outside this period')}</span>
    </>
  )
}
