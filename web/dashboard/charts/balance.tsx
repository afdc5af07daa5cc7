import { lazy, Suspense, useState } from 'react'
import { balanceSeries } from '#shared/contract/ledger.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { accountNames } from '#shared/statement.ts'
import { useRead } from '#web/api/read.ts'
import { Cents, Usd, useAmountWords } from '#web/components/amounts.tsx'
import { zone } from '#web/components/days.ts'
import type { PeriodChoice } from '#web/components/period/use-period.ts'
import { Day } from '#web/components/when.tsx'
import { dayWords } from '#web/local-time.ts'
import { tr } from '#web/tr.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { ChartFrame, charts, stateOf } from './frame.tsx'
import { LazyPlot } from './lazy-plot.tsx'
import { Swatch } from './patterns.tsx'
import { type BalancePoint, type BalanceSeries, balancePoints, looks, percent } from './series.ts'

const ReturnsDialog = lazy(() => import('./returns-dialog.tsx'))

/** Daily balances of a period, by account and in total. */
export function BalanceOverTime({ period: { days, daysError } }: { period: PeriodChoice }) {
  const { data, isError, isPlaceholderData, refetch } = useRead(
    balanceSeries,
    { query: { ...days, zone: zone() } },
    { enabled: daysError === undefined, keep: true },
  )
  const points = data && balancePoints(data)
  const [isExplained, explain] = useState(false)
  return (
    <>
      <ChartFrame
        {...charts.balance}
        state={stateOf({ daysError, isError, isThere: points && points.length > 0 })}
        isLate={isPlaceholderData}
        onRetry={() => void refetch()}
        words={
          data && (
            <>
              <BalanceWords series={data} />{' '}
              <ReturnWords returns={data.returns} onExplain={() => explain(true)} />
            </>
          )
        }
        empty={
          daysError ??
          t('No money moved in your account in this period. Your total funds appear here once it does.')
        }
        table={data && points && <BalanceTable points={points} step={data.step} />}
      >
        {data && points && (
          <Chart key={`${points[0]?.day} ${points.length}`} points={points} step={data.step} />
        )}
      </ChartFrame>
      {data && isExplained && (
        <Suspense>
          <ReturnsDialog step={data.step} onClose={() => explain(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Both returns of the period; nothing while there are none. */
function ReturnWords({ returns, onExplain }: { returns: BalanceSeries['returns']; onExplain: () => void }) {
  const { timeWeighted, moneyWeighted } = returns
  if (timeWeighted === null || moneyWeighted === null) return null
  return (
    <>
      {tr(
        'Your return was {timeWeighted} time-weighted and {moneyWeighted} money-weighted. <button>How we compute it</button>',
        {
          timeWeighted: percent(timeWeighted),
          moneyWeighted: percent(moneyWeighted),
          button: words => (
            <button type="button" className="prose-link" aria-haspopup="dialog" onClick={onExplain}>
              {words}
            </button>
          ),
        },
      )}
    </>
  )
}

/** Opening and closing balance, and what was deposited, earned and withdrawn. */
function BalanceWords({ series: { points, paidIn, earned, paidOut } }: { series: BalanceSeries }) {
  const [first, last] = [points[0]!, points.at(-1)!]
  const change = usdFromJson(last.total)! - usdFromJson(first.total)!
  const figures = {
    opening: <Usd value={first.total} />,
    firstDay: <Day on={first.day} />,
    closing: <Usd value={last.total} />,
    lastDay: <Day on={last.day} />,
    deposited: <Usd value={paidIn} />,
    earned: <Usd value={earned} />,
    withdrawn: <Usd value={paidOut} />,
  }
  return (
    <>
      {change === 0n
        ? tr(
            'Your total funds stayed the same: from {opening} at the end of {firstDay} to {closing} on {lastDay}. You deposited {deposited}, earned {earned} and withdrew {withdrawn}.',
            figures,
          )
        : tr(
            'Your total funds went from {opening} at the end of {firstDay} to {closing} on {lastDay}. You deposited {deposited}, earned {earned} and withdrew {withdrawn}.',
            figures,
          )}{' '}
      {points.some(({ netPaidIn }) => netPaidIn < 0)
        ? t('You have withdrawn more than you paid in; the dashed line, net paid in, then lies at zero.')
        : t('What lies above the dashed line, net paid in, is what you earned.')}
    </>
  )
}

type Step = BalanceSeries['step']
const pointOf: Record<Step, string> = {
  day: msg('one point for the end of each day'),
  week: msg('one point for the end of each week'),
  month: msg('one point for the end of each month'),
}
const captions: Record<Step, string> = {
  day: msg('Your funds at the end of each day, newest first'),
  week: msg('Your funds at the end of each week, newest first'),
  month: msg('Your funds at the end of each month, newest first'),
}

type ChartProps = { points: readonly BalancePoint[]; step: Step }

function Chart({ points, step }: ChartProps) {
  const [chosen, setChosen] = useState<number>()
  const words = useAmountWords()
  const at = chosen ?? points.length - 1
  const shown = points[at]!
  return (
    <div className="grid min-h-0 grid-cols-1 grid-rows-[auto_minmax(0,1fr)] gap-2">
      <Readout point={shown} step={step} />
      <LazyPlot
        draw={({ BalancePlot }) => (
          <BalancePlot
            points={points}
            chosen={chosen}
            onChoose={setChosen}
            label={t('Total funds over time: use the arrow keys to choose a point')}
            value={t(
              '{day}: total {total}, Available {available}, In plans {invested}, On hold {held}, net paid in {netPaidIn}',
              {
                day: dayWords(shown.day),
                total: words(shown.total),
                available: words(shown.available),
                invested: words(shown.invested),
                held: words(shown.held),
                netPaidIn: words(shown.netPaidIn),
              },
            )}
          />
        )}
      />
    </div>
  )
}

/** Figures of one point, also the legend of the patterns. */
function Readout({ point, step }: { point: BalancePoint; step: Step }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-1 text-sm sm:grid-cols-5">
      <div>
        <dt className="flex items-center gap-2 text-ink-soft">
          <Swatch look="total" />
          {t('Total')}
        </dt>
        <dd className="numeral">
          <Cents cents={point.total} />
        </dd>
      </div>
      {looks.map(look => (
        <div key={look}>
          <dt className="flex items-center gap-2 text-ink-soft">
            <Swatch look={look} />
            {translate(accountNames[look])}
          </dt>
          <dd className="numeral">
            <Cents cents={point[look]} />
          </dd>
        </div>
      ))}
      <div>
        <dt className="flex items-center gap-2 text-ink-soft">
          <Swatch look="paidIn" />
          {t('Net paid in')}
        </dt>
        <dd className="numeral">
          <Cents cents={point.netPaidIn} />
        </dd>
      </div>
      <div className="col-span-full">
        <dt className="sr-only">{t('At the end of')}</dt>
        <dd className="text-ink-faint">
          <Day on={point.day} /> · {translate(pointOf[step])}
        </dd>
      </div>
    </dl>
  )
}

const columns: readonly Column<BalancePoint>[] = [
  { header: msg('At the end of'), cell: point => <Day on={point.day} /> },
  ...looks.map(look => ({
    header: accountNames[look],
    cell: (point: BalancePoint) => <Cents cents={point[look]} />,
    numeric: true,
  })),
  { header: msg('Total'), cell: point => <Cents cents={point.total} />, numeric: true },
  { header: msg('Net paid in'), cell: point => <Cents cents={point.netPaidIn} />, numeric: true },
]

function BalanceTable({ points, step }: ChartProps) {
  return (
    <Table
      caption={translate(captions[step])}
      columns={columns}
      rows={points.toReversed()}
      keyOf={point => point.day}
    />
  )
}
