import { lazy, Suspense } from 'react'
import { usePeriod } from '#web/components/period/use-period.ts'
import { Section } from '#web/ui/section.tsx'
import { ChartPeriod } from './chart-period.tsx'
import { ChartLoading } from './frame.tsx'

// Loaded after the page; the space is reserved.
const BalanceOverTime = lazy(() =>
  import('./balance.tsx').then(chart => ({ default: chart.BalanceOverTime })),
)
const AllocationByPlan = lazy(() =>
  import('./allocation.tsx').then(chart => ({ default: chart.AllocationByPlan })),
)
const EarningsByMonth = lazy(() =>
  import('./earnings.tsx').then(chart => ({ default: chart.EarningsByMonth })),
)

/** Charts of the user's money. */
export function OverTime() {
  const period = usePeriod()
  return (
    <Section title="Your money over time" className="mb-10">
      <ChartPeriod period={period} />
      <div className="grid gap-x-12 gap-y-10 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Suspense fallback={<ChartLoading of="balance" />}>
          <BalanceOverTime period={period} />
        </Suspense>
        <Suspense fallback={<ChartLoading of="allocation" />}>
          <AllocationByPlan />
        </Suspense>
        <div className="lg:col-span-full">
          <Suspense fallback={<ChartLoading of="earnings" />}>
            <EarningsByMonth period={period} />
          </Suspense>
        </div>
      </div>
    </Section>
  )
}
