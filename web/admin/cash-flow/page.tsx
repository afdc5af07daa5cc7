import { Download } from 'lucide-react'
import { type CashFlow, cashFlowCsv, getCashFlow } from '#shared/contract/cash-flow.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { cashFlowMonths, cashFlowWeeks } from '#shared/limits.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { monthWords } from '#web/local-time.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import type { Column } from '#web/ui/table.tsx'
import { AmountBar } from './amount-bar.tsx'
import { Concentration } from './concentration.tsx'
import { FoldedTable } from './folded-table.tsx'
import { Forecast } from './forecast.tsx'

export const meta = pageMeta(msg('Cash flow'))

/** What falls due beside what we hold, and where money comes from and goes (decision 153). */
export default function CashFlowPage() {
  const { data, isError, refetch } = useRead(getCashFlow, {})
  const { run, pending } = useDownload(cashFlowCsv)
  return (
    <>
      <PageHead
        title={t('Cash flow')}
        lead={t('What we must pay in the coming weeks, compared with the coins we hold.')}
        aside={
          <Button tone="quiet" size="sm" busy={pending} onClick={() => run({})}>
            <Download aria-hidden="true" />
            {t('Download CSV')}
          </Button>
        }
      />
      {!data && !isError && <Loading label={t('Loading the cash flow')} lines={10} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The cash flow could not be loaded.')}</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          <Section
            title={t('Due in the next {weeks, plural, one {# week} other {# weeks}}', {
              weeks: cashFlowWeeks,
            })}
            aside={<AsOf at={data.asOf} />}
          >
            <Forecast flow={data} />
          </Section>
          <Section title={t('Money in and out')}>
            <Months months={data.months} now={data.asOf.slice(0, 7)} />
          </Section>
          <Section title={t('Investors by first deposit')} aside={<AsOf at={data.cohortsAsOf} />}>
            <Cohorts cohorts={data.cohorts} />
          </Section>
          <Section title={t('Concentration')}>
            <Concentration flow={data} />
          </Section>
        </div>
      )}
    </>
  )
}

function AsOf({ at }: { at: string }) {
  return <span className="text-ink-faint text-sm">{tr('As of {time}', { time: <When at={at} /> })}</span>
}

type Month = CashFlow['months'][number]

function Months({ months, now }: { months: readonly Month[]; now: string }) {
  const top = Math.max(...months.flatMap(({ deposits, withdrawals }) => [deposits, withdrawals]))
  const columns: readonly Column<Month>[] = [
    {
      header: t('Month'),
      cell: ({ month }) =>
        month === now ? t('{month} (so far)', { month: monthWords(month) }) : monthWords(month),
    },
    { header: t('Deposits'), cell: of => <AmountBar amount={of.deposits} top={top} />, numeric: true },
    { header: t('Withdrawals'), cell: of => <AmountBar amount={of.withdrawals} top={top} />, numeric: true },
    { header: t('Earnings'), cell: of => <Usd value={of.earnings} />, numeric: true },
    { header: t('Returns recorded'), cell: of => <Usd value={of.returns} />, numeric: true },
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      <FoldedTable
        wide
        of="months"
        caption={t(
          'Money in and out in the last {months, plural, one {# month} other {# months}}, newest first',
          { months: cashFlowMonths },
        )}
        columns={columns}
        rows={months.toReversed()}
        keyOf={({ month }) => month}
      />
      <p className="max-w-3xl text-ink-faint text-sm">
        {t(
          'From the ledger, by UTC months: deposits credited less reversals, withdrawals paid, earnings paid. The ledger has no fees: we charge none, and network fees are not booked.',
        )}
      </p>
    </div>
  )
}

type Cohort = CashFlow['cohorts'][number]

const cohortColumns = (): readonly Column<Cohort>[] => [
  { header: t('First deposit'), cell: ({ month }) => monthWords(month) },
  { header: t('Investors'), cell: ({ investors }) => number(investors), numeric: true },
  { header: t('Paid in'), cell: ({ paidIn }) => <Usd value={paidIn} />, numeric: true },
  { header: t('Earned'), cell: ({ earned }) => <Usd value={earned} />, numeric: true },
  { header: t('Withdrawn', {}, 'money'), cell: ({ withdrawn }) => <Usd value={withdrawn} />, numeric: true },
  { header: t('Available or on hold'), cell: ({ available }) => <Usd value={available} />, numeric: true },
  { header: t('In plans'), cell: ({ invested }) => <Usd value={invested} />, numeric: true },
]

function Cohorts({ cohorts }: { cohorts: readonly Cohort[] }) {
  if (cohorts.length === 0) return <EmptyState>{t('No deposit has been credited yet.')}</EmptyState>
  return (
    <div className="grid grid-cols-1 gap-3">
      <FoldedTable
        wide
        of="months"
        caption={t('Investors by the month of their first deposit, newest first')}
        columns={cohortColumns()}
        rows={cohorts}
        keyOf={({ month }) => month}
      />
      <p className="max-w-3xl text-ink-faint text-sm">
        {t(
          'Paid in + earned − withdrawn = available or on hold + in plans. Only the part of a reversed deposit that we could recover is subtracted from paid in; the rest is a debt to us.',
        )}
      </p>
    </div>
  )
}
