import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { t } from '#shared/i18n/t.ts'
import { cashFlowWeeks, heldReadingHours } from '#shared/limits.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Day } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import type { Column } from '#web/ui/table.tsx'
import { AmountBar } from './amount-bar.tsx'
import { FoldedTable } from './folded-table.tsx'

/** What is due, what is held, and whether one exceeds the other. */
export function Forecast({ flow }: { flow: CashFlow }) {
  const { held, withdrawals, ended, available, onHold, returnsLeft } = flow
  return (
    <div className="grid grid-cols-1 gap-6">
      <div className="grid max-w-3xl gap-2">
        <p className="text-lg text-pretty">
          <Verdict flow={flow} />
        </p>
        <Unknown coins={held.coins} />
      </div>
      <Figures inLines>
        <Figure
          label={t('Coins we know we hold')}
          value={<Usd value={held.known} />}
          note={<Held coins={held.coins} />}
        />
        <Figure
          label={t('Due now')}
          value={<Usd value={sum(withdrawals.pending, withdrawals.approved, ended.amount)} />}
          note={
            <>
              {tr('Withdrawals pending {usd} + approved {usd2} + ended plans {usd3}', {
                usd: <Usd value={withdrawals.pending} />,
                usd2: <Usd value={withdrawals.approved} />,
                usd3: <Usd value={ended.amount} />,
              })}
            </>
          }
        />
        <Figure
          label={t('Investors can withdraw')}
          value={<Usd value={sum(available, onHold)} />}
          note={
            <>
              {tr('Available {usd} + on hold for pending investments, which they can cancel, {usd2}', {
                usd: <Usd value={available} />,
                usd2: <Usd value={onHold} />,
              })}
            </>
          }
        />
        <Figure
          label={t('Recorded returns left')}
          value={<Usd value={returnsLeft} />}
          note={t('Earnings can only be paid from these.')}
        />
      </Figures>
      <Weeks flow={flow} />
      <p className="max-w-3xl text-ink-faint text-sm">
        {t(
          'Coins are those on the addresses we monitor, at the current rates, up to what the ledger holds of each coin: payments not credited yet are not counted. Fixed payment addresses, cold wallets and assets outside these networks are not counted. Future deposits, withdrawals and earnings are not forecast. Principal to be reinvested counts as due: investors can stop that until we close their plan.',
        )}
      </p>
    </div>
  )
}

/** Dollars with two decimals, added as cents. */
function sum(...amounts: number[]): number {
  return amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100
}

function Verdict({ flow: { exceeds, weeks, held, available, onHold } }: { flow: CashFlow }) {
  const { due, withAvailable } = exceeds
  const last = weeks.at(-1)!.due
  const withdrawable = sum(available, onHold)
  if (due?.now) {
    return (
      <>
        {tr('What is due now exceeds the coins we know we hold by {usd}.', {
          usd: <Usd value={due.missing} />,
        })}
      </>
    )
  }
  if (due) {
    return (
      <>
        {tr('In the week from {day}, what is due exceeds the coins we know we hold by {usd}.', {
          day: <Day on={due.week} />,
          usd: <Usd value={due.missing} />,
        })}
      </>
    )
  }
  const covered =
    last === 0 ? (
      `Nothing is due in the next ${cashFlowWeeks} weeks.`
    ) : (
      <>
        {tr('The coins we know we hold, {usd}, cover the {usd2} due in the next {cashFlowWeeks} weeks.', {
          usd: <Usd value={held.known} />,
          usd2: <Usd value={last} />,
          cashFlowWeeks,
        })}
      </>
    )
  return (
    <>
      {covered}{' '}
      {withAvailable ? (
        <>
          {tr(
            'If investors also withdrew the {usd} they have available or on hold, we would be {usd2} short {value}',
            {
              usd: <Usd value={withdrawable} />,
              usd2: <Usd value={withAvailable.missing} />,
              value: withAvailable.now ? (
                'now.'
              ) : (
                <>
                  in the week from <Day on={withAvailable.week} />.
                </>
              ),
            },
          )}
        </>
      ) : (
        withdrawable > 0 && (
          <>
            {tr('These coins {value}cover the {usd} that investors have available or on hold.', {
              value: last > 0 && 'also ',
              usd: <Usd value={withdrawable} />,
            })}
          </>
        )
      )}
    </>
  )
}

type Coin = CashFlow['held']['coins'][number]

const reasons: Record<NonNullable<Coin['unknown']>, string> = {
  no_reading: 'no balance has been read',
  old_reading: `the last balance is more than ${heldReadingHours} hours old`,
  no_rate: 'there is no rate',
  old_rate: 'the rate is out of date',
}

/** Coins whose amount we do not know, by the reason; we count them as zero. */
function Unknown({ coins }: { coins: readonly Coin[] }) {
  const unknown = coins.filter(coin => coin.unknown !== null)
  if (unknown.length === 0) return null
  const because = Map.groupBy(unknown, coin => reasons[coin.unknown!])
  return (
    <p className="text-bad">
      {t('We do not know how much of these coins we hold: {join}. We count {value} as zero.', {
        join: [...because]
          .map(([why, of]) => `${of.map(({ asset }) => asset).join(', ')} (${why})`)
          .join('; '),
        value: unknown.length === 1 ? 'it' : 'them',
      })}
    </p>
  )
}

function Held({ coins }: { coins: readonly Coin[] }) {
  const known = coins.filter(({ amount }) => amount !== null)
  if (known.length === 0) return 'No balance is known.'
  return known.map(({ asset, amount }, n) => (
    <span key={asset}>
      {n > 0 && ' + '}
      {asset} <Usd value={amount!} />
    </span>
  ))
}

type Week = CashFlow['weeks'][number]

/** The weeks in which principal falls due. */
function Weeks({ flow: { weeks, later, held } }: { flow: CashFlow }) {
  const rows = weeks.filter(({ investments }) => investments > 0)
  const top = Math.max(...weeks.map(({ due }) => due), held.known)
  const columns: readonly Column<Week>[] = [
    { header: t('Week from'), cell: ({ from }) => <Day on={from} /> },
    { header: t('Plans ending'), cell: ({ investments }) => investments, numeric: true },
    { header: t('Principal'), cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    { header: t('Due in total'), cell: ({ due }) => <AmountBar amount={due} top={top} />, numeric: true },
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      {rows.length > 0 && (
        <FoldedTable
          rowsInWords="weeks"
          caption={t('Principal due by week, with all that is due by its end')}
          columns={columns}
          rows={rows}
          keyOf={({ from }) => from}
        />
      )}
      <p className="text-ink-soft text-sm">
        {rows.length === 0
          ? `No plan ends in the next ${cashFlowWeeks} weeks.`
          : rows.length < weeks.length && 'No plan ends in the other weeks.'}{' '}
        {later.investments > 0 && (
          <>{tr('{usd} of principal falls due later.', { usd: <Usd value={later.amount} /> })}</>
        )}
      </p>
    </div>
  )
}
