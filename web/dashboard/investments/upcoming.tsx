import type { CallData } from '#shared/contract/define.ts'
import { allocation } from '#shared/contract/ledger.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { mostEndings } from '#shared/limits.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Day } from '#web/components/when.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Ending = CallData<typeof allocation>['endings'][number]

const columns: readonly Column<Ending>[] = [
  { header: msg('Plan ends'), cell: ({ day }) => <Day on={day} /> },
  { header: msg('Investments'), cell: ({ investments }) => investments, numeric: true },
  { header: msg('Principal'), cell: ({ amount }) => <Usd value={amount} />, numeric: true },
  { header: msg('To reinvest'), cell: ({ reinvested }) => <Usd value={reinvested} />, numeric: true },
  { header: msg('To your balance'), cell: ({ returned }) => <Usd value={returned} />, numeric: true },
]

/** When principal returns, day by day; nothing without active investments. */
export function UpcomingPrincipal() {
  const { data, isError, refetch } = useRead(allocation, { query: {} })
  if (data?.endings.length === 0) return null
  return (
    <Section title={t('When your principal returns')} className="mb-10">
      {data ? (
        <Endings endings={data.endings} />
      ) : isError ? (
        <FailedState onRetry={() => void refetch()}>{t('The days could not be loaded.')}</FailedState>
      ) : (
        <Loading label={t('Loading when your principal returns')} lines={3} />
      )}
    </Section>
  )
}

function Endings({ endings }: { endings: readonly Ending[] }) {
  return (
    <>
      <Table
        caption={t('Principal of your active investments, by the day on which their plans end')}
        columns={columns}
        rows={endings}
        keyOf={({ day }) => day}
      />
      <p className="mt-3 max-w-3xl text-ink-soft text-sm">
        {endings.length === mostEndings &&
          `${t('The first {count} days are shown.', { count: mostEndings })} `}
        {t(
          'Days are in UTC. We close each investment after its plan ends, so the money can arrive later. If a plan’s terms change before, its principal returns to your balance. Earnings are not included: targets are not guaranteed.',
        )}
      </p>
    </>
  )
}
