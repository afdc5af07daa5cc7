import { useState } from 'react'
import type { Plan } from '#shared/contract/entities.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { formatUsdShort, usdFromJson } from '#shared/money.ts'
import { riskLine } from '#shared/plans.ts'
import { useRead } from '#web/api/read.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { EditPlan } from './plans/edit-plan.tsx'
import { RecordCell } from './record-cell.tsx'

export const meta = pageMeta('Plans')

function dollars(amount: number): string {
  return formatUsdShort(usdFromJson(amount)!)
}

/** How many days a duration stands for, where its words do not say so. */
function daysWords({ duration, durationDays }: Plan): string | undefined {
  const words = `${durationDays} days`
  return duration === words ? undefined : words
}

function columnsWith(edit: (plan: Plan) => void): readonly Column<Plan>[] {
  return [
    { header: 'Plan', cell: plan => <RecordCell note={`Version ${plan.version}`}>{plan.name}</RecordCell> },
    { header: 'Target', cell: plan => `${plan.percentage}%`, numeric: true },
    { header: 'Minimum', cell: plan => dollars(plan.minimum), numeric: true },
    {
      header: 'Maximum',
      cell: plan => (plan.maximum === null ? 'Unlimited' : dollars(plan.maximum)),
      numeric: true,
    },
    {
      header: 'Duration',
      cell: plan => <RecordCell note={daysWords(plan)}>{plan.duration}</RecordCell>,
    },
    { header: 'Note', cell: plan => plan.note ?? '—' },
    {
      header: 'Action',
      cell: plan => (
        <div className="flex flex-wrap justify-end gap-2 min-[44rem]:flex-nowrap min-[44rem]:justify-start">
          <Button tone="quiet" size="sm" aria-label={`Edit ${plan.name}`} onClick={() => edit(plan)}>
            Edit
          </Button>
          <LinkButton
            tone="quiet"
            size="sm"
            to={paths.admin.planEarnings(plan._id)}
            aria-label={`Add earnings for ${plan.name}`}
          >
            Add earnings
          </LinkButton>
        </div>
      ),
    },
  ]
}

/** The catalogue of plans (N-14, D4). */
export default function PlansPage() {
  const [edited, setEdited] = useState<Plan>()
  const { data: plans, isError, refetch } = useRead(listPlans, {})
  return (
    <>
      <PageHead
        title="Plans"
        lead="A change makes a new version of a plan. Investments keep the version that they were made under."
      />
      {!plans && !isError && <Loading label="Loading plans" lines={8} />}
      {!plans && isError && (
        <FailedState onRetry={() => void refetch()}>The plans could not be loaded.</FailedState>
      )}
      {plans?.length === 0 && <EmptyState>There are no plans.</EmptyState>}
      {plans && plans.length > 0 && (
        <>
          <Table
            caption="Plans in force"
            columns={columnsWith(setEdited)}
            rows={plans}
            keyOf={plan => plan._id}
          />
          <p className="mt-4 text-ink-faint text-sm">{riskLine}</p>
        </>
      )}
      {edited && <EditPlan plan={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
