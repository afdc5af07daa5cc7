import { Fragment } from 'react'
import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { number } from '#shared/i18n/intl.ts'
import { listed } from '#shared/i18n/listed.ts'
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
          note={tr('Withdrawals pending {pending} + approved {approved} + ended plans {ended}', {
            pending: <Usd value={withdrawals.pending} />,
            approved: <Usd value={withdrawals.approved} />,
            ended: <Usd value={ended.amount} />,
          })}
        />
        <Figure
          label={t('Investors can withdraw')}
          value={<Usd value={sum(available, onHold)} />}
          note={tr('Available {available} + on hold for pending investments, which they can cancel, {held}', {
            available: <Usd value={available} />,
            held: <Usd value={onHold} />,
          })}
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

function Verdict({ flow }: { flow: CashFlow }) {
  const { exceeds, weeks, held } = flow
  const { due } = exceeds
  const last = weeks.at(-1)!.due
  if (due?.now) {
    return tr('What is due now exceeds the coins we know we hold by {amount}.', {
      amount: <Usd value={due.missing} />,
    })
  }
  if (due) {
    return tr('In the week from {day}, what is due exceeds the coins we know we hold by {amount}.', {
      day: <Day on={due.week} />,
      amount: <Usd value={due.missing} />,
    })
  }
  const covered =
    last === 0
      ? t('Nothing is due in the next {weeks, plural, one {# week} other {# weeks}}.', {
          weeks: cashFlowWeeks,
        })
      : tr(
          'The coins we know we hold, {held}, cover the {due} due in the next {weeks, plural, one {# week} other {# weeks}}.',
          { held: <Usd value={held.known} />, due: <Usd value={last} />, weeks: cashFlowWeeks },
        )
  return (
    <>
      {covered} <IfWithdrawn flow={flow} />
    </>
  )
}

/** The verdict if investors also withdrew what they can. */
function IfWithdrawn({ flow: { exceeds, weeks, available, onHold } }: { flow: CashFlow }) {
  const { withAvailable } = exceeds
  const withdrawable = sum(available, onHold)
  const amount = <Usd value={withdrawable} />
  if (withAvailable?.now) {
    return tr(
      'If investors also withdrew the {amount} they have available or on hold, we would be {missing} short now.',
      { amount, missing: <Usd value={withAvailable.missing} /> },
    )
  }
  if (withAvailable) {
    return tr(
      'If investors also withdrew the {amount} they have available or on hold, we would be {missing} short in the week from {day}.',
      { amount, missing: <Usd value={withAvailable.missing} />, day: <Day on={withAvailable.week} /> },
    )
  }
  if (withdrawable <= 0) return null
  return weeks.at(-1)!.due > 0
    ? tr('These coins also cover the {amount} that investors have available or on hold.', { amount })
    : tr('These coins cover the {amount} that investors have available or on hold.', { amount })
}

type Coin = CashFlow['held']['coins'][number]

/** 'BTC, ETH (there is no rate)' */
function coinsWithReason(coins: readonly Coin[], unknown: Coin['unknown']): string {
  const names = listed(coins.map(({ asset }) => asset))
  switch (unknown) {
    case 'no_reading':
      return t('{coins} (no balance has been read)', { coins: names })
    case 'old_reading':
      return t('{coins} (the last balance is more than {hours, plural, one {# hour} other {# hours}} old)', {
        coins: names,
        hours: heldReadingHours,
      })
    case 'no_rate':
      return t('{coins} (there is no rate)', { coins: names })
    default:
      return t('{coins} (the rate is out of date)', { coins: names })
  }
}

/** Coins whose amount we do not know, by the reason; we count them as zero. */
function Unknown({ coins }: { coins: readonly Coin[] }) {
  const unknown = coins.filter(coin => coin.unknown !== null)
  if (unknown.length === 0) return null
  const because = Map.groupBy(unknown, coin => coin.unknown)
  return (
    <p className="text-bad">
      {t(
        'We do not know how much of these coins we hold: {coins}. We count {count, plural, one {it} other {them}} as zero.',
        {
          coins: [...because]
            .map(([why, of]) => coinsWithReason(of, why))
            .join(t('; ', {}, 'between the parts of a list')),
          count: unknown.length,
        },
      )}
    </p>
  )
}

function Held({ coins }: { coins: readonly Coin[] }) {
  const known = coins.filter(({ amount }) => amount !== null)
  if (known.length === 0) return t('No balance is known.')
  return known.map(({ asset, amount }, n) => (
    <Fragment key={asset}>
      {n > 0 && ' + '}
      <bdi>
        {asset} <Usd value={amount!} />
      </bdi>
    </Fragment>
  ))
}

type Week = CashFlow['weeks'][number]

/** The weeks in which principal falls due. */
function Weeks({ flow: { weeks, later, held } }: { flow: CashFlow }) {
  const rows = weeks.filter(({ investments }) => investments > 0)
  const top = Math.max(...weeks.map(({ due }) => due), held.known)
  const columns: readonly Column<Week>[] = [
    { header: t('Week from'), cell: ({ from }) => <Day on={from} /> },
    { header: t('Plans ending'), cell: ({ investments }) => number(investments), numeric: true },
    { header: t('Principal'), cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    { header: t('Due in total'), cell: ({ due }) => <AmountBar amount={due} top={top} />, numeric: true },
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      {rows.length > 0 && (
        <FoldedTable
          of="weeks"
          caption={t('Principal due by week, with all that is due by its end')}
          columns={columns}
          rows={rows}
          keyOf={({ from }) => from}
        />
      )}
      <p className="text-ink-soft text-sm">
        {rows.length === 0
          ? t('No plan ends in the next {weeks, plural, one {# week} other {# weeks}}.', {
              weeks: cashFlowWeeks,
            })
          : rows.length < weeks.length && t('No plan ends in the other weeks.')}{' '}
        {later.investments > 0 &&
          tr('{amount} of principal falls due later.', { amount: <Usd value={later.amount} /> })}
      </p>
    </div>
  )
}
