import { Suspense } from 'react'
import { Link } from 'react-router'
import { t } from '#shared/i18n/t.ts'
import { type PeriodChoice, usePeriod } from '#web/components/period/use-period.ts'
import { lazyModule } from '#web/lazy-module.ts'
import { paths } from '#web/paths.ts'
import { Section } from '#web/ui/section.tsx'
import { ChartPeriod } from './chart-period.tsx'
import { ChartLoading } from './frame.tsx'

// Loaded after the page; the space is reserved.
const balance = lazyModule(() => import('./balance.tsx'))
const allocation = lazyModule(() => import('./allocation.tsx'))
const earnings = lazyModule(() => import('./earnings.tsx'))

type OfPeriod = { period: PeriodChoice }

function Balance({ period }: OfPeriod) {
  const { BalanceOverTime } = balance.read()
  return <BalanceOverTime period={period} />
}

function Allocation() {
  const { AllocationByPlan } = allocation.read()
  return <AllocationByPlan />
}

function Earnings({ period }: OfPeriod) {
  const { EarningsByMonth } = earnings.read()
  return <EarningsByMonth period={period} />
}

/** Charts of the user's money. */
export function OverTime() {
  const period = usePeriod()
  return (
    <Section
      title={t('Your money over time')}
      className="mb-10"
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.goals}>
          {t('Goals and alerts')}
        </Link>
      }
    >
      <ChartPeriod period={period} />
      <div className="grid gap-x-12 gap-y-10 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Suspense fallback={<ChartLoading of="balance" />}>
          <Balance period={period} />
        </Suspense>
        <Suspense fallback={<ChartLoading of="allocation" />}>
          <Allocation />
        </Suspense>
        <div className="lg:col-span-full">
          <Suspense fallback={<ChartLoading of="earnings" />}>
            <Earnings period={period} />
          </Suspense>
        </div>
      </div>
    </Section>
  )
}
