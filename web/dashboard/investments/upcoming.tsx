import type { CallData } from '#shared/contract/define.ts'
import { allocation } from '#shared/contract/ledger.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Day } from '#web/components/when.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Ending = CallData<typeof allocation>['endings'][number]

const columns: readonly Column<Ending>[] = [
  { header: 'Plan ends', cell: ({ day }) => <Day on={day} /> },
  { header: 'Investments', cell: ({ investments }) => investments, numeric: true },
  { header: 'Principal', cell: ({ amount }) => <Usd value={amount} />, numeric: true },
  { header: 'To reinvest', cell: ({ reinvested }) => <Usd value={reinvested} />, numeric: true },
  { header: 'To your balance', cell: ({ returned }) => <Usd value={returned} />, numeric: true },
]

/** When principal returns, day by day; nothing without active investments. */
export function UpcomingPrincipal() {
  const { data } = useRead(allocation, { query: {} })
  if (!data || data.endings.length === 0) return null
  return (
    <Section title="When your principal returns" className="mb-10">
      <Table
        caption="Principal of your active investments, by the day on which their plans end"
        columns={columns}
        rows={data.endings}
        keyOf={({ day }) => day}
      />
      <p className="mt-3 max-w-3xl text-ink-soft text-sm">
        Days are in UTC. We close each investment after its plan ends, so the money can arrive later. Earnings
        are not included: targets are not guaranteed.
      </p>
    </Section>
  )
}
