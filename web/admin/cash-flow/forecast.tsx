import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { cashFlowWeeks, heldReadingHours } from '#shared/limits.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Day } from '#web/components/when.tsx'
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
          label="Coins we know we hold"
          value={<Usd value={held.known} />}
          note={<Held coins={held.coins} />}
        />
        <Figure
          label="Due now"
          value={<Usd value={sum(withdrawals.pending, withdrawals.approved, ended.amount)} />}
          note={
            <>
              Withdrawals pending <Usd value={withdrawals.pending} /> + approved{' '}
              <Usd value={withdrawals.approved} /> + ended plans <Usd value={ended.amount} />
            </>
          }
        />
        <Figure
          label="Investors can withdraw"
          value={<Usd value={sum(available, onHold)} />}
          note={
            <>
              Available <Usd value={available} /> + on hold for pending investments, which they can cancel,{' '}
              <Usd value={onHold} />
            </>
          }
        />
        <Figure
          label="Recorded returns left"
          value={<Usd value={returnsLeft} />}
          note="Earnings can only be paid from these."
        />
      </Figures>
      <Weeks flow={flow} />
      <p className="max-w-3xl text-ink-faint text-sm">
        Coins are those on the addresses we monitor, at the current rates, up to what the ledger holds of each
        coin: payments not credited yet are not counted. Fixed payment addresses, cold wallets and assets
        outside these networks are not counted. Future deposits, withdrawals and earnings are not forecast.
        Principal to be reinvested counts as due: investors can stop that until we close their plan.
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
        What is due now exceeds the coins we know we hold by <Usd value={due.missing} />.
      </>
    )
  }
  if (due) {
    return (
      <>
        In the week from <Day on={due.week} />, what is due exceeds the coins we know we hold by{' '}
        <Usd value={due.missing} />.
      </>
    )
  }
  const covered =
    last === 0 ? (
      `Nothing is due in the next ${cashFlowWeeks} weeks.`
    ) : (
      <>
        The coins we know we hold, <Usd value={held.known} />, cover the <Usd value={last} /> due in the next{' '}
        {cashFlowWeeks} weeks.
      </>
    )
  return (
    <>
      {covered}{' '}
      {withAvailable ? (
        <>
          If investors also withdrew the <Usd value={withdrawable} /> they have available or on hold, we would
          be <Usd value={withAvailable.missing} /> short{' '}
          {withAvailable.now ? (
            'now.'
          ) : (
            <>
              in the week from <Day on={withAvailable.week} />.
            </>
          )}
        </>
      ) : (
        withdrawable > 0 && (
          <>
            These coins {last > 0 && 'also '}cover the <Usd value={withdrawable} /> that investors have
            available or on hold.
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
      We do not know how much of these coins we hold:{' '}
      {[...because].map(([why, of]) => `${of.map(({ asset }) => asset).join(', ')} (${why})`).join('; ')}. We
      count {unknown.length === 1 ? 'it' : 'them'} as zero.
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
    { header: 'Week from', cell: ({ from }) => <Day on={from} /> },
    { header: 'Plans ending', cell: ({ investments }) => investments, numeric: true },
    { header: 'Principal', cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    { header: 'Due in total', cell: ({ due }) => <AmountBar amount={due} top={top} />, numeric: true },
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      {rows.length > 0 && (
        <FoldedTable
          rowsInWords="weeks"
          caption="Principal due by week, with all that is due by its end"
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
          <>
            <Usd value={later.amount} /> of principal falls due later.
          </>
        )}
      </p>
    </div>
  )
}
