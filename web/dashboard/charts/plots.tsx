/** Chart drawings with their library; loaded lazily. */

import { max } from 'd3-array'
import { scaleBand, scaleUtc } from 'd3-scale'
import { area, curveStepBefore, line, type SeriesPoint, stack } from 'd3-shape'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { accountNames } from '#shared/statement.ts'
import { useAmountsHidden } from '#web/components/hidden-amounts.ts'
import { apart } from '#web/components/money-axis.ts'
import { cx } from '#web/ui/cx.ts'
import { shortDay, shortMonth } from './month-names.ts'
import { Patterns, usePatterns } from './patterns.tsx'
import { type Choosing, type Drawn, Plot, smallText } from './plot.tsx'
import { type BalancePoint, type MonthPoint, stacked } from './series.ts'

type PlotProps<Point> = Choosing & { points: readonly Point[] }

/** Lower and upper end of a band at one point. */
type Part = SeriesPoint<BalancePoint>

const largest = (amounts: readonly bigint[]) => max(amounts.map(Number)) ?? 0

/** Stacked balances at the end of each day, under the line of their total. */
export function BalancePlot({ points, ...choosing }: PlotProps<BalancePoint>) {
  const { chosen } = choosing
  const total = largest(points.map(point => point.total))
  return (
    <Plot
      {...choosing}
      count={points.length}
      right={roomForNames()}
      top={total}
      at={width => timeScale(points, width)}
    >
      {drawn => (
        <>
          <Bands points={points} {...drawn} />
          <Months xs={drawn.xs} days={points.map(({ day }) => day)} height={drawn.height} />
          <EndLabels last={points.at(-1)!} {...drawn} />
          {chosen !== undefined && (
            <g className="stroke-ink" transform={`translate(${drawn.xs[chosen]})`}>
              <path d={`M0 0V${drawn.height}`} strokeDasharray="2 3" />
              <circle cy={drawn.axis.y(points[chosen]!.total)} r="4" className="fill-paper" strokeWidth="2" />
            </g>
          )}
        </>
      )}
    </Plot>
  )
}

/** One band per account and the line of the total. */
function Bands({ points, xs, axis }: Drawn & { points: readonly BalancePoint[] }) {
  const { name, fill } = usePatterns()
  const x = (_: unknown, n: number) => xs[n]!
  const y = (cents: number) => axis.y(BigInt(cents))
  const bands = stack<BalancePoint, (typeof stacked)[number]>()
    .keys(stacked)
    .value((point, key) => Number(point[key]))([...points])
  const shape = area<Part>(
    x,
    part => y(part[0]),
    part => y(part[1]),
  ).curve(curveStepBefore)
  const upper = line<Part>(x, part => y(part[1])).curve(curveStepBefore)
  const sum = line<BalancePoint>(x, point => axis.y(point.total)).curve(curveStepBefore)
  const paidIn = line<BalancePoint>(x, ({ netPaidIn }) => axis.y(netPaidIn > 0n ? netPaidIn : 0n)).curve(
    curveStepBefore,
  )
  return (
    <>
      <Patterns name={name} />
      {bands.map(band => (
        <path key={band.key} d={shape(band) ?? ''} fill={fill(band.key)} />
      ))}
      {bands.slice(0, -1).map(band => (
        <path
          key={band.key}
          d={upper(band) ?? ''}
          className="fill-none stroke-paper"
          strokeWidth="1.5"
          strokeDasharray={band.key === 'held' ? '5 3' : undefined}
        />
      ))}
      <path d={paidIn(points) ?? ''} className="fill-none stroke-paper" strokeWidth="3.5" />
      <path
        d={paidIn(points) ?? ''}
        className="fill-none stroke-ink"
        strokeWidth="1.5"
        strokeDasharray="6 3"
      />
      <path d={sum(points) ?? ''} className="fill-none stroke-ink" strokeWidth="2" />
    </>
  )
}

function timeScale(points: readonly BalancePoint[], width: number): number[] {
  const days = points.map(({ day }) => new Date(day))
  const scale = scaleUtc([days[0]!, days.at(-1)!], [0, width])
  return days.map(day => scale(day))
}

/** The names of the lines and the bands at their ends, the line of the total last. */
const endNames = () => [...stacked.map(key => translate(accountNames[key])), t('Total')]

/** Space for the longest name, in pixels: 'Available', or a longer one in another language. */
function roomForNames(): number {
  return Math.max(76, 8 + 7 * Math.max(...endNames().map(name => name.length)))
}

/** Names at the end of the bands, except empty ones. */
function EndLabels({ last, axis, width, height }: Drawn & { last: BalancePoint }) {
  let below = 0n
  const names = endNames()
  const labels = stacked.flatMap((key, n) => {
    const middle = below + last[key] / 2n
    below += last[key]
    return last[key] > 0n ? [{ words: names[n]!, y: axis.y(middle) }] : []
  })
  const all = [...labels, { words: names.at(-1)!, y: axis.y(last.total) }]
  const heights = apart(
    all.map(({ y }) => y),
    14,
    height,
  )
  return all.map(({ words }, n) => (
    <text
      key={words}
      x={width + 8}
      y={heights[n]}
      dy="0.35em"
      className={cx('fill-ink-soft text-xs', n === all.length - 1 && 'font-medium')}
    >
      {words}
    </text>
  ))
}

/** Space for a month's name below the axis, in pixels. */
const monthRoom = 52

/** Names of months below a time axis, or of days for short periods, as many as fit. */
function Months({ xs, days, height }: { xs: readonly number[]; days: readonly string[]; height: number }) {
  const starts = days.flatMap((day, n) => (n > 0 && day.slice(0, 7) !== days[n - 1]!.slice(0, 7) ? [n] : []))
  const isShort = starts.length < 2
  const marks = isShort ? days.map((_, n) => n) : starts
  let free = 0
  const shown = marks.filter(n => {
    if (xs[n]! < free) return false
    free = xs[n]! + monthRoom
    return true
  })
  return (
    <g className={smallText}>
      {shown.map(n => (
        <g key={n}>
          <path d={`M${xs[n]} ${height}v4`} className="stroke-edge" />
          <text
            x={xs[n]}
            y={height + 17}
            textAnchor={xs[n]! < 12 ? 'start' : 'middle'}
            className="[unicode-bidi:plaintext]"
          >
            {isShort ? shortDay(days[n]!) : monthOrYear(days[n]!)}
          </text>
        </g>
      ))}
    </g>
  )
}

const monthOrYear = (day: string) =>
  day.slice(5, 7) === '01' ? day.slice(0, 4) : shortMonth(day.slice(0, 7))

export function EarningsPlot({ points, ...choosing }: PlotProps<MonthPoint>) {
  const { chosen } = choosing
  const hidden = useAmountsHidden()
  const months = points.map(({ month }) => month)
  const bandOf = (width: number) => scaleBand(months, [0, width]).paddingInner(0.35).paddingOuter(0.2)
  const centres = (width: number) => {
    const band = bandOf(width)
    return months.map(month => band(month)! + band.bandwidth() / 2)
  }
  return (
    <Plot
      {...choosing}
      count={points.length}
      right={0}
      top={largest(points.map(({ earned }) => earned))}
      at={centres}
    >
      {({ xs, axis, width, height }) => {
        const band = bandOf(width)
        const bar = Math.min(band.bandwidth(), 56)
        const every = Math.ceil(40 / band.step())
        return points.map(({ month, earned }, n) => (
          <g key={month}>
            <rect
              x={xs[n]! - bar / 2}
              y={axis.y(earned)}
              width={bar}
              height={height - axis.y(earned)}
              className={cx(chosen === n ? 'fill-accent-strong stroke-ink' : 'fill-accent')}
              strokeWidth="1.5"
            />
            {!hidden && localUsdShort(earned).length * 7 + 8 <= band.step() && (
              <text
                x={xs[n]}
                y={axis.y(earned) - 5}
                textAnchor="middle"
                className="fill-ink-soft text-xs tabular-nums"
              >
                {localUsdShort(earned)}
              </text>
            )}
            {n % every === 0 && (
              <text
                x={xs[n]}
                y={height + 17}
                textAnchor="middle"
                className={cx(smallText, '[unicode-bidi:plaintext]')}
              >
                {n === 0 || month.endsWith('-01')
                  ? `${shortMonth(month)} ’${month.slice(2, 4)}`
                  : shortMonth(month)}
              </text>
            )}
          </g>
        ))
      }}
    </Plot>
  )
}
