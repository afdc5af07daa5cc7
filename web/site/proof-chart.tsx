import { area, curveStepBefore, line } from 'd3-shape'
import type { ProofOverview } from '#shared/contract/proof.ts'
import { localUsdJson } from '#shared/i18n/amounts.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { moneyAxis } from '#web/components/money-axis.ts'
import { tr } from '#web/tr.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Part } from './banner.tsx'
import { utcDay } from './utc.ts'

type Epoch = ProofOverview['listed'][number]

/** Units of the drawing, which is stretched to its space; its labels are not. */
const WIDTH = 1000
const HEIGHT = 200

const columns = (): readonly Column<Epoch>[] => [
  { header: t('Epoch ended'), cell: ({ day }) => utcDay(day) },
  {
    header: t('Transactions'),
    cell: ({ transactions }) => number(transactions),
    numeric: true,
  },
  {
    header: t('Owed to investors'),
    cell: ({ owed }) => <bdi dir="ltr">{localUsdJson(owed)}</bdi>,
    numeric: true,
  },
  {
    header: t('Coins signed for'),
    cell: ({ proven }) => (proven === null ? '—' : <bdi dir="ltr">{localUsdJson(proven)}</bdi>),
    numeric: true,
  },
]
const keyOf = ({ epoch }: Epoch) => String(epoch)

/** What investors are owed at the end of each epoch, and the coins signed for then, as a drawing and as a table. */
export function OwedChart({ epochs }: { epochs: readonly Epoch[] }) {
  const [first, latest] = [epochs[0]!, epochs.at(-1)!]
  const isWhole = latest.epoch - first.epoch === epochs.length - 1
  const isProven = epochs.some(({ proven }) => proven !== null)
  return (
    <Part wide eyebrow={t('Over time')} title={t('What investors were owed')}>
      <div data-figure="proof" className="grid grid-cols-1 gap-6">
        <p className="max-w-2xl text-ink-soft">
          {tr('{firstAmount} on {firstDay}, {lastAmount} on {lastDay}.', {
            firstAmount: <bdi dir="ltr">{localUsdJson(first.owed)}</bdi>,
            firstDay: utcDay(first.day),
            lastAmount: <bdi dir="ltr">{localUsdJson(latest.owed)}</bdi>,
            lastDay: utcDay(latest.day),
          })}
          {!isWhole && ` ${t('Not every epoch is drawn here; all are published.')}`}
        </p>
        {isProven && <Legend />}
        <Drawing epochs={epochs} />
        <details className="disclosure">
          <summary>{t('These figures as a table')}</summary>
          <div className="pb-7">
            <Table
              caption={t('What investors were owed at the end of each epoch')}
              columns={columns()}
              rows={epochs.toReversed()}
              keyOf={keyOf}
            />
          </div>
        </details>
      </div>
    </Part>
  )
}

/** A proof is of its block only, so its coins are points: nothing is shown of the days between. */
function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
      <li className="flex items-center gap-2">
        <span aria-hidden="true" className="h-0.5 w-5 bg-accent" />
        {t('Owed to investors')}
      </li>
      <li className="flex items-center gap-2">
        <span aria-hidden="true" className="size-2.5 rounded-full bg-good" />
        {t('Coins signed for, on the days of a proof')}
      </li>
    </ul>
  )
}

function Drawing({ epochs }: { epochs: readonly Epoch[] }) {
  const cents = (usd: number) => usdFromJson(usd) ?? 0n
  const largest = Math.max(...epochs.map(({ owed, proven }) => Math.max(owed, proven ?? 0)))
  const axis = moneyAxis(cents(largest), HEIGHT)
  const days = epochs.map(({ day }) => Date.parse(day))
  const [from, to] = [days[0]!, days.at(-1)!]
  // Epochs of one day stand side by side.
  const x = (_: Epoch, place: number) =>
    WIDTH * (to > from ? (days[place]! - from) / (to - from) : place / (epochs.length - 1))
  const y = ({ owed }: Epoch) => axis.y(cents(owed))
  const shape = area<Epoch>().x(x).y0(HEIGHT).y1(y).curve(curveStepBefore)
  const top = line<Epoch>(x, y).curve(curveStepBefore)
  return (
    <div
      aria-hidden="true"
      dir="ltr"
      className="grid grid-cols-[4.5rem_1fr] gap-x-3 gap-y-2 text-ink-faint text-xs tabular-nums"
    >
      <svg aria-hidden="true" className="h-64 w-full overflow-visible">
        {axis.ticks.map(tick => (
          <text
            key={tick.words}
            x="100%"
            y={`${(100 * tick.y) / HEIGHT}%`}
            dy="0.35em"
            textAnchor="end"
            className="fill-ink-faint"
          >
            {tick.words}
          </text>
        ))}
      </svg>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-64 w-full overflow-visible"
      >
        <path d={shape([...epochs]) ?? ''} className="fill-accent-soft" />
        {axis.ticks.map(tick => (
          <path
            key={tick.words}
            d={`M0 ${tick.y}H${WIDTH}`}
            className={tick.y === HEIGHT ? 'stroke-edge' : 'stroke-rule'}
            vectorEffect="non-scaling-stroke"
          />
        ))}
        <path
          d={top([...epochs]) ?? ''}
          className="fill-none stroke-accent"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
        {epochs.map(
          (epoch, place) =>
            epoch.proven !== null && (
              <path
                key={epoch.epoch}
                d={`M${x(epoch, place)} ${axis.y(cents(epoch.proven))}h0`}
                className="stroke-good"
                strokeWidth="10"
                strokeLinecap="round"
                vectorEffect="non-scaling-stroke"
              />
            ),
        )}
      </svg>
      <p className="col-start-2 flex justify-between">
        <bdi>{utcDay(epochs[0]!.day)}</bdi>
        <bdi>{utcDay(epochs.at(-1)!.day)}</bdi>
      </p>
    </div>
  )
}
