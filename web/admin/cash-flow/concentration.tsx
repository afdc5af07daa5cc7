import type { CashFlow } from '#shared/contract/cash-flow.ts'
import { perLanguage } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { Cents, Usd } from '#web/components/amounts.tsx'
import { tr } from '#web/tr.ts'
import { EmptyState } from '#web/ui/states.tsx'
import type { Column } from '#web/ui/table.tsx'
import { AmountBar } from './amount-bar.tsx'
import { FoldedTable, type RowKind } from './folded-table.tsx'

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
          {tr('We owe {amount} to {investors, plural, one {# investor} other {# investors}}.', {
            amount: <Usd value={owed} />,
            investors,
          })}
        </p>
        <Parts
          caption={t('Share of the largest investors in what we owe')}
          head={t('Investors')}
          of="groups"
          parts={shown.map(({ investors: count, amount }) => {
            const name = t('{count, plural, one {The largest} other {The # largest}}', { count }, 'investors')
            return { name, amount, of: owed }
          })}
        />
      </div>
      {plans.length > 0 && (
        <div className="grid grid-cols-1 gap-3">
          <p className="text-ink-soft">
            {tr('{amount} of that is in plans.', { amount: <Cents cents={inPlans} /> })}
          </p>
          <Parts
            caption={t('Money in plans, by plan')}
            head={t('Plan')}
            of="plans"
            parts={plans.map(({ plan, amount }) => ({ name: plan, amount, of: usdToJson(inPlans) }))}
          />
        </div>
      )}
      {coins.length > 0 && (
        <div className="grid grid-cols-1 gap-3">
          <p className="text-ink-soft">
            {tr('We know that we hold {amount}.', { amount: <Usd value={flow.held.known} /> })}
          </p>
          <Parts
            caption={t('Coins we know we hold')}
            head={t('Coin')}
            of="coins"
            parts={coins.map(({ asset, amount }) => ({ name: asset, amount: amount!, of: flow.held.known }))}
          />
        </div>
      )}
    </div>
  )
}

type PartsProps = { caption: string; head: string; of: RowKind; parts: readonly Part[] }

function Parts({ caption, head, of, parts }: PartsProps) {
  const columns: readonly Column<Part>[] = [
    { header: head, cell: ({ name }) => name },
    { header: t('Amount'), cell: ({ amount, of }) => <AmountBar amount={amount} top={of} />, numeric: true },
    { header: t('Share'), cell: ({ amount, of }) => percentOf(amount, of), numeric: true },
  ]
  return <FoldedTable of={of} caption={caption} columns={columns} rows={parts} keyOf={({ name }) => name} />
}

const percent = perLanguage(
  ({ numbers }) =>
    new Intl.NumberFormat(numbers, {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
)

function percentOf(amount: number, of: number): string {
  return of === 0 ? '—' : percent().format(amount / of)
}
