import { listOwnEarnings } from '#shared/contract/earnings.ts'
import type { Earning } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { useList } from '#web/api/list.ts'
import { Usd, useAmountWords } from '#web/components/amounts.tsx'
import { EarnedOn } from '#web/components/earned-on.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { usePeriod } from '#web/components/period/use-period.ts'
import { EarningStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { ChartPeriod } from '#web/dashboard/charts/chart-period.tsx'
import { EarningsByMonth } from '#web/dashboard/charts/earnings.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

export const meta = pageMeta(msg('Earnings history'))

const columns: readonly Column<Earning>[] = [
  { header: msg('Date'), cell: earning => <When at={earning.createdAt} /> },
  { header: msg('Earned on'), cell: earning => <EarnedOn earning={earning} /> },
  { header: msg('Investment'), cell: earning => earning.investmentLabel ?? '—' },
  { header: msg('Status'), cell: earning => <EarningStatus earning={earning} /> },
  { header: msg('Amount'), cell: earning => <Usd value={earning.amount} />, numeric: true },
  {
    header: msg('Actions'),
    bare: true,
    numeric: true,
    cell: earning => <DetailLink earning={earning} />,
  },
]

function DetailLink({ earning: { _id, amount, investmentLabel } }: { earning: Earning }) {
  const words = useAmountWords()
  return (
    <RecordLink
      kind="earning"
      id={_id}
      label={t('Details: {amount} on {investment}', {
        amount: words(usdFromJson(amount)!),
        investment: investmentLabel ?? '—',
      })}
      look={{ tone: 'quiet', size: 'sm' }}
    >
      {t('Details')}
    </RecordLink>
  )
}

/** Earnings history (D-10). */
export default function HistoryPage() {
  const period = usePeriod()
  return (
    <>
      <PageHead
        title={t('Earnings history')}
        lead={t(
          'Every earning names its source. We pay earnings only from returns already realised and recorded.',
        )}
      />
      <Section title={t('Month by month')} className="mb-10">
        <ChartPeriod period={period} />
        <EarningsByMonth period={period} withGrid />
      </Section>
      <Section title={t('All earnings')}>
        <Earnings />
      </Section>
    </>
  )
}

function Earnings() {
  const list = useList(listOwnEarnings)
  return (
    <ListStates list={list} of={t('your earnings')} empty={<NoEarnings />}>
      {rows => (
        <Table
          caption={t('Your earnings, newest first')}
          columns={columns}
          rows={rows}
          keyOf={row => row._id}
        />
      )}
    </ListStates>
  )
}

function NoEarnings() {
  return (
    <EmptyState action={<LinkButton to={paths.dashboard.newInvestment}>{t('New investment')}</LinkButton>}>
      {t('No earnings yet. They appear here once we credit a realised return to you.')}
    </EmptyState>
  )
}
