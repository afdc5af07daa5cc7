import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { msg, t } from '#shared/i18n/t.ts'
import { useRootState } from '#web/api/root-state.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { pageMeta } from '#web/meta.ts'
import { usePainted } from '#web/painted.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { Loading } from '#web/ui/states.tsx'
import { BalanceFigures, investedNote, useSummary } from './balances.tsx'
import { useIsNew } from './is-new.ts'
import { BelowPayments } from './payments.tsx'

export const meta = pageMeta(msg('Dashboard'))

const OverTime = lazy(() =>
  import('#web/dashboard/charts/over-time.tsx').then(charts => ({ default: charts.OverTime })),
)

/** Placeholder of the charts' height. */
function ChartsOnTheirWay() {
  return (
    <Section
      title={t('Your money over time')}
      className="mb-10 min-h-[107.8rem] sm:min-h-[100rem] md:min-h-[95.1rem] lg:min-h-[72.7rem] xl:min-h-[63.6rem]"
    >
      <Loading label={t('Loading your money over time')} lines={2} className="py-0" />
    </Section>
  )
}

/** Placeholder of their height. */
function FirstStepsOnTheirWay() {
  return (
    <Section title={t('First steps')} className="mb-10 min-h-[26.8rem] sm:min-h-[18rem]">
      <Loading label={t('Loading your first steps')} lines={2} className="py-0" />
    </Section>
  )
}

const LatestRecords = lazy(() =>
  import('./latest-records.tsx').then(latest => ({ default: latest.LatestRecords })),
)

const CoinTicker = lazy(() => import('./coin-ticker.tsx').then(ticker => ({ default: ticker.CoinTicker })))

const FirstSteps = lazy(() => import('./first-steps.tsx').then(steps => ({ default: steps.FirstSteps })))

const ProofLine = lazy(() =>
  import('#web/dashboard/proof/proof-line.tsx').then(line => ({ default: line.ProofLine })),
)

/** What this device found in the published books; in two lines on a phone, one elsewhere. */
function PublishedBooks() {
  return (
    <p className="-mt-4 mb-8 min-h-12 text-ink-soft text-sm sm:min-h-6">
      <Suspense>
        <ProofLine />
      </Suspense>
    </p>
  )
}

/** The investor's home page (D-02, D-03). */
export default function HomePage() {
  const { name } = useRootState()
  const begins = useIsNew()
  // Shows the figures first: drawing charts takes longer.
  const isPainted = usePainted()
  return (
    <>
      <PageHead
        title={name === '' ? t('Welcome') : tr('Welcome, {name}', { name: <bdi>{name}</bdi> })}
        aside={
          <>
            <LinkButton size="sm" tone="quiet" to={paths.dashboard.deposit}>
              {t('Make deposit')}
            </LinkButton>
            <LinkButton size="sm" tone={begins ? 'quiet' : 'primary'} to={paths.dashboard.newInvestment}>
              {t('New investment')}
            </LinkButton>
          </>
        }
      />
      <AccountNotice />
      <BelowPayments>
        {begins && (
          <Suspense fallback={<FirstStepsOnTheirWay />}>
            <FirstSteps />
          </Suspense>
        )}
        <BalanceFigures
          alone={begins}
          link={
            <Link className="prose-link" to={paths.dashboard.withdrawals}>
              {t('Withdraw')}
            </Link>
          }
        />
        {!begins && <PublishedBooks />}
        <Totals />
        <Suspense fallback={<div className="mb-8 min-h-[5.84rem]" />}>
          <CoinTicker />
        </Suspense>
        {!begins && (
          <Suspense fallback={<ChartsOnTheirWay />}>
            {isPainted ? <OverTime /> : <ChartsOnTheirWay />}
          </Suspense>
        )}
        <Suspense
          fallback={<Loading label={t('Loading your latest investments and withdrawals')} lines={12} />}
        >
          <LatestRecords />
        </Suspense>
      </BelowPayments>
    </>
  )
}

function Totals() {
  const sums = useSummary()
  return (
    <Figures inLines className="mb-8">
      <Figure
        label={t('Total Investments')}
        value={usdOrWait(sums?.investments.total)}
        note={sums && investedNote(sums.investments)}
      />
      <Figure
        label={t('Active Investments')}
        value={usdOrWait(sums?.investments.active)}
        note={t('Currently invested')}
      />
      <Figure
        label={t('Total Earnings')}
        value={usdOrWait(sums?.earnings.total)}
        note={t('Paid from realised returns')}
      />
      <Figure
        label={t('Total Withdrawals')}
        value={usdOrWait(sums?.withdrawals.total)}
        note={t('Excludes declined requests')}
      />
    </Figures>
  )
}
