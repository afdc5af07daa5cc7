import type { ReactNode } from 'react'
import { consoleSummary } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Summary = CallData<typeof consoleSummary>
type Flow = { name: string; note: string } & Summary['moneyIn']

/** The books at a glance: money in and out, debts to investors and their coverage. */
export function GlanceSection() {
  const { data, isError, refetch } = useRead(consoleSummary, {})
  return (
    <Section title="At a glance" aside={data && <AsOf at={data.asOf} />}>
      {isError && !data && (
        <FailedState onRetry={() => void refetch()}>The figures could not be loaded.</FailedState>
      )}
      {!data && !isError && <Loading label="Loading the figures" lines={6} />}
      {data && (
        <div className="grid gap-6">
          <Flows summary={data} />
          <Owed summary={data} />
        </div>
      )}
    </Section>
  )
}

function AsOf({ at }: { at: string }) {
  return (
    <span className="text-ink-faint text-sm">
      From the ledger, <When at={at} />
    </span>
  )
}

const columns: readonly Column<Flow>[] = [
  {
    header: 'Money',
    cell: ({ name, note }) => (
      <span className="grid gap-0.5">
        <span className="font-medium">{name}</span>
        <span className="text-ink-faint text-sm">{note}</span>
      </span>
    ),
  },
  { header: 'Today', cell: ({ today }) => <Usd value={today} />, numeric: true },
  { header: '30 days', cell: ({ thirtyDays }) => <Usd value={thirtyDays} />, numeric: true },
  { header: 'All', cell: ({ all }) => <Usd value={all} />, numeric: true },
]

function Flows({ summary: { moneyIn, moneyOut } }: { summary: Summary }) {
  const rows: Flow[] = [
    { name: 'Money in', note: 'Investor deposits credited', ...moneyIn },
    { name: 'Money out', note: 'Withdrawals paid', ...moneyOut },
  ]
  return (
    <>
      <Table
        caption="Money in and money out: today, last 30 days, all time"
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
      />
      <p className="-mt-3 text-ink-faint text-sm">UTC days; 30 days includes today.</p>
    </>
  )
}

function Owed({ summary }: { summary: Summary }) {
  const { liabilities, coverage } = summary
  const { available, held, invested, total } = liabilities
  return (
    <>
      <Figures inLines>
        <Figure
          label="Owed to investors"
          value={<Usd value={total} />}
          note={
            <>
              Available <Usd value={available} /> + on hold <Usd value={held} /> + in plans{' '}
              <Usd value={invested} />
            </>
          }
        />
        <Figure
          label="Assets for investors"
          value={<Usd value={coverage.assets} />}
          note={covers(coverage)}
        />
      </Figures>
      <CoverageFormula summary={summary} />
    </>
  )
}

function covers({ percent }: Summary['coverage']): string {
  return percent === null ? 'Nothing owed yet' : `Covers ${percent.toFixed(2)}% of what is owed`
}

/** The coverage formula and its limits. */
function CoverageFormula({ summary }: { summary: Summary }) {
  const { moneyIn, moneyOut, returns, coverage } = summary
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer text-accent">How coverage is calculated</summary>
      <div className="mt-2 grid max-w-3xl gap-2 text-ink-soft">
        <Line name="Assets">
          Money in <Usd value={moneyIn.all} /> + recorded returns <Usd value={returns.recorded} /> − money out{' '}
          <Usd value={moneyOut.all} /> = <Usd value={coverage.assets} />
        </Line>
        <Line name="Coverage">
          {coverage.percent === null ? (
            'Assets ÷ owed to investors: nothing owed yet'
          ) : (
            <>
              Assets <Usd value={coverage.assets} /> ÷ owed to investors <Usd value={coverage.liabilities} />{' '}
              = {coverage.percent.toFixed(2)}%
            </>
          )}
        </Line>
        <p>
          Figures come from the ledger. Coins count at the rate of their payment, not today’s, and wallets
          aren’t checked: compare with the on-chain balances below and with the firm’s other holdings.
        </p>
      </div>
    </details>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <p className="tabular-nums">
      <span className="font-medium text-ink">{name}:</span> {children}
    </p>
  )
}
