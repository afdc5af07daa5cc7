import { Link } from 'react-router'
import { listOwnInvestments } from '#shared/contract/investments.ts'
import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { InvestmentCard } from '#web/dashboard/investments/card.tsx'
import { WithdrawalsTable } from '#web/dashboard/withdrawals/table.tsx'
import { paths } from '#web/paths.ts'
import { Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { latestInvestments, latestWithdrawals } from './latest.ts'

/** The latest investments and withdrawals, at the end of the page. */
export function LatestRecords() {
  return (
    <div className="grid gap-10">
      <LatestInvestments />
      <RecentWithdrawals />
    </div>
  )
}

function LatestInvestments() {
  return (
    <Section
      title={t('Latest investments')}
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.investments}>
          {t('All investments')}
        </Link>
      }
    >
      <InvestmentCards />
    </Section>
  )
}

function InvestmentCards() {
  const { rows, isError, refetch } = useList(listOwnInvestments, { limit: latestInvestments })
  if (isError)
    return <FailedState onRetry={refetch}>{t('Your investments could not be loaded.')}</FailedState>
  if (!rows) return <Loading label={t('Loading your investments')} lines={6} />
  if (rows.length === 0) {
    return (
      <EmptyState action={<LinkButton to={paths.dashboard.newInvestment}>{t('Choose a plan')}</LinkButton>}>
        {t('You have no investments yet.')}
      </EmptyState>
    )
  }
  return (
    <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      {rows.slice(0, latestInvestments).map(investment => (
        <li key={investment._id} className="grid">
          <InvestmentCard investment={investment} />
        </li>
      ))}
    </ul>
  )
}

function RecentWithdrawals() {
  return (
    <Section
      title={t('Recent withdrawals')}
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.withdrawals}>
          {t('All withdrawals')}
        </Link>
      }
    >
      <WithdrawalList />
    </Section>
  )
}

function WithdrawalList() {
  const { rows, isError, refetch } = useList(listOwnWithdrawals, { limit: latestWithdrawals })
  if (isError)
    return <FailedState onRetry={refetch}>{t('Your withdrawals could not be loaded.')}</FailedState>
  if (!rows) return <Loading label={t('Loading your withdrawals')} />
  if (rows.length === 0) return <EmptyState>{t('You have not made any withdrawals yet.')}</EmptyState>
  return <WithdrawalsTable caption={t('Your latest withdrawals')} rows={rows.slice(0, latestWithdrawals)} />
}
