import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { Cents, Usd } from '#web/components/amounts.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import type { Column } from '#web/ui/table.tsx'
import { AmountBar } from './amount-bar.tsx'
import { FoldedTable } from './folded-table.tsx'

type Part = { name: string; amount: number; of: number }

/** How what we owe, what is in plans and what we hold are distributed. */
export function Concentration({ flow }: { flow: CashFlow }) {
  const { owed, investors, largest, plans } = flow.concentration
  if (owed === 0) return <EmptyState>We owe investors nothing yet.</EmptyState>
  const inPlans = plans.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n)
  const coins = flow.held.coins.filter(({ amount }) => amount !== null)
  const shown = largest.filter(({ investors: count }, n) => n === 0 || count < investors)
  return (
    <div className="grid grid-cols-1 gap-8">
      <div className="grid grid-cols-1 gap-3">
        <p className="text-ink-soft">
          We owe <Usd value={owed} /> to {investors === 1 ? '1 investor' : `${investors} investors`}.
        </p>
        <Parts
          caption="Share of the largest investors in what we owe"
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
            <Cents cents={inPlans} /> of that is in plans.
          </p>
          <Parts
            caption="Money in plans, by plan"
            head="Plan"
            unit="plans"
            parts={plans.map(({ plan, amount }) => ({ name: plan, amount, of: usdToJson(inPlans) }))}
          />
        </div>
      )}
      {coins.length > 0 && (
        <div className="grid grid-cols-1 gap-3">
          <p className="text-ink-soft">
            We know that we hold <Usd value={flow.held.known} />.
          </p>
          <Parts
            caption="Coins we know we hold"
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
    { header: 'Amount', cell: ({ amount, of }) => <AmountBar amount={amount} top={of} />, numeric: true },
    { header: 'Share', cell: ({ amount, of }) => percentOf(amount, of), numeric: true },
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
