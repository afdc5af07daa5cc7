import { lazy, Suspense, useDeferredValue } from 'react'
import { Link, useLocation } from 'react-router'
import { listOwnInvestments } from '#shared/contract/investments.ts'
import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { useList } from '#web/api/read.ts'
import { useRootState } from '#web/api/root-state.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { InvestmentCard } from '#web/dashboard/investments/card.tsx'
import { WithdrawalsTable } from '#web/dashboard/withdrawals/table.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { BalanceFigures, investedNote, useSummary } from './balances.tsx'
import { CoinTicker } from './coin-ticker.tsx'
import { FirstSteps, useIsNew } from './first-steps.tsx'
import { latestInvestments, latestWithdrawals } from './latest.ts'
import { Payments } from './payments.tsx'

export const meta = pageMeta('Dashboard')

const OverTime = lazy(() =>
  import('#web/dashboard/charts/over-time.tsx').then(charts => ({ default: charts.OverTime })),
)

/** Placeholder of the charts' height. */
function ChartsOnTheirWay() {
  return (
    <Section
      title="Your money over time"
      className="mb-10 min-h-[107.8rem] sm:min-h-[100rem] md:min-h-[95.1rem] lg:min-h-[72.7rem] xl:min-h-[63.6rem]"
    >
      <Loading label="Loading your money over time" lines={2} className="py-0" />
    </Section>
  )
}

/** The investor's home page (D-02, D-03). */
export default function HomePage() {
  const { name } = useRootState()
  const begins = useIsNew()
  // Coming from another page, show the figures first: drawing charts takes longer.
  const isFirst = useLocation().key === 'default'
  const isDrawn = useDeferredValue(true, isFirst)
  return (
    <>
      <PageHead
        title={name === '' ? 'Welcome' : `Welcome, ${name}`}
        aside={
          <>
            <LinkButton size="sm" tone="quiet" to={paths.dashboard.deposit}>
              Make deposit
            </LinkButton>
            <LinkButton size="sm" tone={begins ? 'quiet' : 'primary'} to={paths.dashboard.newInvestment}>
              New investment
            </LinkButton>
          </>
        }
      />
      <AccountNotice />
      <Payments />
      {begins && <FirstSteps />}
      <BalanceFigures
        alone={begins}
        link={
          <Link className="prose-link" to={paths.dashboard.withdrawals}>
            Withdraw
          </Link>
        }
      />
      <Totals />
      <CoinTicker />
      {!begins && (
        <Suspense fallback={<ChartsOnTheirWay />}>{isDrawn ? <OverTime /> : <ChartsOnTheirWay />}</Suspense>
      )}
      <div className="grid gap-10">
        <LatestInvestments />
        <RecentWithdrawals />
      </div>
    </>
  )
}

function Totals() {
  const sums = useSummary()
  return (
    <Figures inLines className="mb-8">
      <Figure
        label="Total Investments"
        value={usdOrWait(sums?.investments.total)}
        note={sums && investedNote(sums.investments)}
      />
      <Figure
        label="Active Investments"
        value={usdOrWait(sums?.investments.active)}
        note="Currently invested"
      />
      <Figure
        label="Total Earnings"
        value={usdOrWait(sums?.earnings.total)}
        note="Paid from realised returns"
      />
      <Figure
        label="Total Withdrawals"
        value={usdOrWait(sums?.withdrawals.total)}
        note="Excludes declined requests"
      />
    </Figures>
  )
}

function LatestInvestments() {
  return (
    <Section
      title="Latest investments"
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.investments}>
          All investments
        </Link>
      }
    >
      <InvestmentCards />
    </Section>
  )
}

function InvestmentCards() {
  const { rows, isError, refetch } = useList(listOwnInvestments, { limit: latestInvestments })
  if (isError) return <FailedState onRetry={refetch}>Your investments could not be loaded.</FailedState>
  if (!rows) return <Loading label="Loading your investments" lines={6} />
  if (rows.length === 0) {
    return (
      <EmptyState action={<LinkButton to={paths.dashboard.newInvestment}>Choose a plan</LinkButton>}>
        You have no investments yet.
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
      title="Recent withdrawals"
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.withdrawals}>
          All withdrawals
        </Link>
      }
    >
      <WithdrawalList />
    </Section>
  )
}

function WithdrawalList() {
  const { rows, isError, refetch } = useList(listOwnWithdrawals, { limit: latestWithdrawals })
  if (isError) return <FailedState onRetry={refetch}>Your withdrawals could not be loaded.</FailedState>
  if (!rows) return <Loading label="Loading your withdrawals" />
  if (rows.length === 0) return <EmptyState>You have not made any withdrawals yet.</EmptyState>
  return <WithdrawalsTable caption="Your latest withdrawals" rows={rows.slice(0, latestWithdrawals)} />
}
