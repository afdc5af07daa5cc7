import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { Cents, Usd } from '#web/components/amounts.tsx'
import { tr } from '#web/tr.ts'
import { EmptyState } from '#web/ui/states.tsx'
import type { Column } from '#web/ui/table.tsx'
import { AmountBar } from './amount-bar.tsx'
import { FoldedTable } from './folded-table.tsx'

type Part = { name: string; amount: number; of: number }

/** How what we owe, what is in plans and what we hold are distributed. */
export function Concentration({ flow }: { flow: CashFlow }) {
  const { owed, investors, largest, plans } = flow.concentration
  if (owed === 0) return <EmptyState>{t('We owe investors nothing yet.')}</EmptyState>
  const inPlans = plans.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n)
  const coins = flow.held.coins.filter(({ amount }) => amount !== null)
  const shown = largest.filter(({ investors: count }, n) => n === 0 || count < investors)
  return (
    <div className="grid grid-cols-1 gap-8">
      <div className="grid grid-cols-1 gap-3">
        <p className="text-ink-soft">
          {tr('We owe {usd} to {value}.', {
            usd: <Usd value={owed} />,
            value: investors === 1 ? '1 investor' : `${investors} investors`,
          })}
        </p>
        <Parts
          caption={t('Share of the largest investors in what we owe')}
          head="Investors"
          unit="groups"
          parts={shown.map(({ investors: count, amount }) => {
            const name = count === 1 ? 'The largest' : `The ${count} largest`
            return { name, amount, of: owed }
          })}
        />
      </div>
      {plans.length > 0 && (
        <div className="grid grid-cols-1 gap-3">
          <p className="text-ink-soft">
            {tr('{cents} of that is in plans.', { cents: <Cents cents={inPlans} /> })}
          </p>
          <Parts
            caption={t('Money in plans, by plan')}
            head="Plan"
            unit="plans"
            parts={plans.map(({ plan, amount }) => ({ name: plan, amount, of: usdToJson(inPlans) }))}
          />
        </div>
      )}
      {coins.length > 0 && (
        <div className="grid grid-cols-1 gap-3">
          <p className="text-ink-soft">
            {tr('We know that we hold {usd}.', { usd: <Usd value={flow.held.known} /> })}
          </p>
          <Parts
            caption={t('Coins we know we hold')}
            head="Coin"
            unit="coins"
            parts={coins.map(({ asset, amount }) => ({ name: asset, amount: amount!, of: flow.held.known }))}
          />
        </div>
      )}
    </div>
  )
}

type PartsProps = { caption: string; head: string; unit: string; parts: readonly Part[] }

function Parts({ caption, head, unit, parts }: PartsProps) {
  const columns: readonly Column<Part>[] = [
    { header: head, cell: ({ name }) => name },
    { header: t('Amount'), cell: ({ amount, of }) => <AmountBar amount={amount} top={of} />, numeric: true },
    { header: t('Share'), cell: ({ amount, of }) => percentOf(amount, of), numeric: true },
  ]
  return (
    <FoldedTable
      rowsInWords={unit}
      caption={caption}
      columns={columns}
      rows={parts}
      keyOf={({ name }) => name}
    />
  )
}

function percentOf(amount: number, of: number): string {
  return of === 0 ? '—' : `${((amount / of) * 100).toFixed(1)}%`
}
