import { useState } from 'react'
import { listCatalogue, type ManagedPlan, newPlan, orderPlans } from '#shared/contract/plans.ts'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { riskLine } from '#shared/plans.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { mayCall } from '#web/admin/rights.ts'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { OrderDialog } from '#web/admin/versions/order-dialog.tsx'
import { useRead } from '#web/api/read.ts'
import { FirmWords } from '#web/components/firm-words.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { Button } from '#web/ui/button.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { NewPlan, planActions } from './plan-dialogs.tsx'

export const meta = pageMeta(msg('Plans'))

function dollars(amount: number): string {
  return localUsdShort(usdFromJson(amount)!)
}

/** The days of a duration, unless its words say so. */
function daysWords({ duration, durationDays }: ManagedPlan): string | undefined {
  const words = t('{days, plural, one {# day} other {# days}}', { days: durationDays })
  return duration === words ? undefined : words
}

const columns: readonly Column<ManagedPlan>[] = [
  {
    header: msg('Plan'),
    cell: plan => (
      <RecordCell note={t('Version {version}', { version: plan.version })}>
        {/* Room for its longest word, beside the long words of some languages. */}
        <span dir="auto" className="wrap-break-word">
          {plan.name}
        </span>
      </RecordCell>
    ),
  },
  {
    header: msg('Target'),
    cell: plan => t('{percentage, number}%', { percentage: plan.percentage }),
    numeric: true,
  },
  { header: msg('Minimum'), cell: plan => dollars(plan.minimum), numeric: true },
  {
    header: msg('Maximum'),
    cell: plan => (plan.maximum === null ? t('Unlimited') : dollars(plan.maximum)),
    numeric: true,
  },
  {
    header: msg('Duration'),
    cell: plan => (
      <RecordCell note={daysWords(plan)}>
        <FirmWords>{plan.duration}</FirmWords>
      </RecordCell>
    ),
  },
  { header: msg('Note'), cell: plan => (plan.note === null ? '—' : <FirmWords>{plan.note}</FirmWords>) },
  { header: msg('Active investments'), cell: plan => number(plan.activeInvestments), numeric: true },
  { header: msg('Action'), cell: plan => <PlanActions plan={plan} /> },
]

function PlanActions({ plan }: { plan: ManagedPlan }) {
  return (
    // The words of some languages are too long for one line.
    <div className="flex flex-wrap justify-end gap-2 min-[44rem]:justify-start [&>div]:min-[44rem]:flex-wrap">
      <Actions actions={planActions(plan)} />
      {(!plan.retired || plan.activeInvestments > 0) && (
        <LinkButton
          tone="quiet"
          size="sm"
          to={consolePaths.planEarnings(plan._id)}
          aria-label={t('Add earnings for {plan}', { plan: plan.name })}
        >
          {t('Add earnings')}
        </LinkButton>
      )}
    </div>
  )
}

/** The catalogue of plans (N-14, D4). */
export default function PlansPage() {
  const [open, setOpen] = useState<'new' | 'order'>()
  const { data: plans, isError, refetch } = useRead(listCatalogue, {})
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHead
        title={t('Plans')}
        lead={t(
          'Each change creates a new version. Existing investments keep the version they started with.',
        )}
        aside={
          mayCall(newPlan) && (
            <>
              <Button tone="quiet" disabled={!plans || plans.length < 2} onClick={() => setOpen('order')}>
                {t('Reorder')}
              </Button>
              <Button onClick={() => setOpen('new')}>{t('New plan')}</Button>
            </>
          )
        }
      />
      {!plans && !isError && <Loading label={t('Loading plans')} lines={8} />}
      {!plans && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The plans could not be loaded.')}</FailedState>
      )}
      {plans && <Catalogue plans={plans} />}
      {open === 'new' && <NewPlan onClose={close} />}
      {open === 'order' && plans && (
        <OrderDialog
          call={orderPlans}
          of={t('plans')}
          items={plans.map(({ _id, name, retired }) => ({
            id: _id,
            name,
            note: retired ? t('(retired)') : undefined,
          }))}
          input={ids => ({ body: { ids } })}
          onClose={close}
        />
      )}
    </>
  )
}

function Catalogue({ plans }: { plans: readonly ManagedPlan[] }) {
  const inForce = plans.filter(({ retired }) => !retired)
  const retired = plans.filter(plan => plan.retired)
  return (
    <div {...focusHome} className="grid grid-cols-1 gap-12 outline-none">
      {inForce.length === 0 && <EmptyState>{t('No plans are open to investors.')}</EmptyState>}
      {inForce.length > 0 && (
        <div>
          <PlanTable caption={t('Current plans')} plans={inForce} />
        </div>
      )}
      {retired.length > 0 && (
        <Section title={t('Retired')}>
          <PlanTable caption={t('Retired plans')} plans={retired} />
        </Section>
      )}
    </div>
  )
}

function PlanTable({ caption, plans }: { caption: string; plans: readonly ManagedPlan[] }) {
  return (
    <>
      <Table caption={caption} columns={columns} rows={plans} keyOf={plan => plan._id} wide />
      <p className="mt-4 text-ink-faint text-sm">{translate(riskLine)}</p>
    </>
  )
}
