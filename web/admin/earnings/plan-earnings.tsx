import { useState } from 'react'
import { Link } from 'react-router'
import {
  addPlanEarnings,
  getPlanRun,
  listPlanShares,
  previewPlanEarnings,
} from '#shared/contract/earnings.ts'
import type { PlanShare } from '#shared/contract/entities.ts'
import { listCatalogue } from '#shared/contract/plans.ts'
import { localUsd, localUsdJson } from '#shared/i18n/amounts.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { riskLine } from '#shared/plans.ts'
import { ActionDialog, Moved } from '#web/admin/actions/action-dialog.tsx'
import { mayCall } from '#web/admin/rights.ts'
import { pageSize } from '#web/admin/tables/list-body.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { Usd, usdOrWait } from '#web/components/amounts.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { useSearch, withChanges } from '#web/search.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { Input, Select } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { type Preview, steadyPreview, type Viewed } from './plan-preview.ts'
import { RunSection } from './plan-run.tsx'
import { EarningWarnings, TooFewReturns } from './warnings.tsx'

export const meta = pageMeta(msg('Earnings for a plan'))

/** Earnings for all active investments of a plan at once (N-09, D4): previewed, confirmed, and added in parts. */
export default function PlanEarningsPage() {
  const [search, replace] = useSearch()
  const plan = search.get('plan') ?? ''
  return (
    <>
      <PageHead
        title={t('Earnings for a plan')}
        lead={t(
          'Unpaid target accruals for every active investment in a plan, across all versions. Paid from recorded returns only.',
        )}
      />
      <div className="grid grid-cols-1 gap-10">
        <PlanChoice plan={plan} onPlan={chosen => replace(params => withChanges(params, { plan: chosen }))} />
        {plan !== '' && <PlanEarnings key={plan} plan={plan} />}
      </div>
    </>
  )
}

type PlanChoiceProps = { plan: string; onPlan: (plan: string) => void }

/** Offers current plans, and retired ones that still have active investments. */
function PlanChoice({ plan, onPlan }: PlanChoiceProps) {
  const { data, isError, refetch } = useRead(listCatalogue, {})
  if (!data && isError) {
    return <FailedState onRetry={() => void refetch()}>{t('The plans could not be loaded.')}</FailedState>
  }
  const plans = data?.filter(
    ({ _id, retired, activeInvestments }) => !retired || activeInvestments > 0 || _id === plan,
  )
  if (plans?.length === 0) {
    return (
      <EmptyState action={<LinkButton to={consolePaths.plans}>{t('Go to plans')}</LinkButton>}>
        {t('There are no plans to pay earnings for. Create a plan first.')}
      </EmptyState>
    )
  }
  return (
    <div className="max-w-sm">
      <Field name="plan" label={t('Plan')}>
        <Select value={plan} disabled={!plans} onChange={event => onPlan(event.target.value)}>
          <option value="">{plans ? t('Choose a plan') : t('Loading the plans')}</option>
          {plans?.map(({ _id, name, retired }) => (
            <option key={_id} value={_id}>
              {retired ? t('{plan} (retired)', { plan: name }) : name}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  )
}

/** Keeps the preview's time while its content is the same, however often it is refreshed. */
function useSteadyPreview(plan: string) {
  const { data, isError, refetch } = useRead(previewPlanEarnings, { params: { id: plan } })
  const [viewed, setLooked] = useState<Viewed>()
  const preview = data && steadyPreview(viewed, data)
  if (preview && (preview.asOf !== viewed?.asOf || preview.digest !== viewed.digest)) setLooked(preview)
  return { preview, isError, refetch }
}

/** While a run adds its earnings, its progress takes the place of the preview. */
function PlanEarnings({ plan }: { plan: string }) {
  const { data: run, isError, refetch } = useRead(getPlanRun, { params: { id: plan } })
  if (run === undefined && isError) {
    return (
      <FailedState onRetry={() => void refetch()}>{t("The plan's runs could not be loaded.")}</FailedState>
    )
  }
  if (run === undefined) return null
  return (
    <>
      {run?.status !== 'running' && <PlanPreview plan={plan} />}
      {run !== null && <RunSection run={run} />}
    </>
  )
}

function PlanPreview({ plan }: { plan: string }) {
  const { preview, isError, refetch } = useSteadyPreview(plan)
  const [asked, setAsked] = useState<Preview>()
  if (!preview && isError) {
    return (
      <FailedState onRetry={() => void refetch()}>
        {t("The plan's accruals could not be loaded.")}
      </FailedState>
    )
  }
  function close() {
    setAsked(undefined)
    // After a refusal the preview is outdated.
    void refetch()
  }
  return (
    <div {...focusHome} className="grid grid-cols-1 gap-10 outline-none">
      <Summary preview={preview} onAsk={() => setAsked(preview)} />
      {preview && preview.count > 0 && <Shares plan={plan} preview={preview} />}
      {asked && <ConfirmEarnings plan={plan} preview={asked} onClose={close} />}
    </div>
  )
}

function leftAfter({ left, total }: Preview): bigint {
  return usdFromJson(left)! - usdFromJson(total)!
}

function Summary({ preview, onAsk }: { preview: Preview | undefined; onAsk: () => void }) {
  const after = preview && leftAfter(preview)
  return (
    <Section title={t('Preview')}>
      <Figures inLines>
        <Figure
          label={t('Investments')}
          value={preview && number(preview.count)}
          note={t('With unpaid accruals')}
        />
        <Figure
          label={t('Total')}
          value={usdOrWait(preview?.total)}
          note={preview && tr('Accrued by {time}', { time: <When at={preview.asOf} /> })}
        />
        <Figure label={t('Recorded returns')} value={usdOrWait(preview?.left)} note={t('Not paid out yet')} />
        <Figure
          label={t('Left afterwards')}
          value={after === undefined ? undefined : after < 0n ? '—' : localUsd(after)}
          note={t('Recorded returns − total')}
        />
      </Figures>
      {preview && <Remarks preview={preview} />}
      {preview && preview.count > 0 && after !== undefined && after >= 0n && mayCall(addPlanEarnings) && (
        <Button className="mt-4" onClick={onAsk}>
          {t('Add these earnings')}
        </Button>
      )}
    </Section>
  )
}

/** Explains why nothing, or not everything, can be added now. */
function Remarks({ preview }: { preview: Preview }) {
  const { count, ownLeftOut, frozenLeftOut, latestBegan, needsApproval } = preview
  const after = leftAfter(preview)
  return (
    <div className="mt-4 grid max-w-3xl gap-3 text-sm" role="status">
      {count === 0 && (
        <p className="text-ink-soft">
          {t('This plan has no unpaid accruals. Targets accrue by whole days.')}
        </p>
      )}
      {after < 0n && <TooFewReturns cents={-after} />}
      {ownLeftOut > 0 && (
        <p>
          {t('Your own investments ({count}) are left out: another admin must add their earnings.', {
            count: ownLeftOut,
          })}
        </p>
      )}
      {frozenLeftOut > 0 && (
        <p>
          {t('Investments of frozen accounts ({count}) are left out: their accruals stay due.', {
            count: frozenLeftOut,
          })}
        </p>
      )}
      {needsApproval && count > 0 && (
        <p>{t('They are added as pending. A second admin must approve each one.')}</p>
      )}
      {latestBegan !== null && <EarningWarnings began={[latestBegan]} several />}
    </div>
  )
}

const columns: readonly Column<PlanShare>[] = [
  { header: msg('Investor'), cell: share => <PersonName row={share} /> },
  {
    header: msg('Investment'),
    cell: share => (
      <RecordCell note={tr('Since {day}', { day: <When at={share.approvedAt} date /> })}>
        <Link className="prose-link" to={consolePaths.investment(share._id)}>
          {share.invoiceId}
        </Link>
      </RecordCell>
    ),
  },
  { header: msg('Invested'), cell: share => <Usd value={share.principal} />, numeric: true },
  {
    header: msg('Target'),
    cell: share => t('{percentage, number}%', { percentage: share.percentage }),
    numeric: true,
  },
  { header: msg('Accrued'), cell: share => <Usd value={share.amount} />, numeric: true },
]

function Shares({ plan, preview }: { plan: string; preview: Preview }) {
  const list = useList(listPlanShares, { plan, asOf: preview.asOf, limit: pageSize })
  return (
    <Section title={t('Each investment')}>
      <ListStates
        list={list}
        of={t('the investments')}
        lines={8}
        empty={<EmptyState>{t('There are no unpaid accruals.')}</EmptyState>}
      >
        {rows => (
          <Table
            caption={t('Accruals by investment, the newest first')}
            columns={columns}
            rows={rows}
            keyOf={share => share._id}
          />
        )}
      </ListStates>
      {(list.rows?.length ?? 0) > 0 && <p className="text-ink-faint text-sm">{translate(riskLine)}</p>}
    </Section>
  )
}

const noteField = ['note'] as const

type ConfirmProps = { plan: string; preview: Preview; onClose: () => void }

/** Confirms exactly the preview that was shown; the server refuses it if anything has changed. */
function ConfirmEarnings({ plan, preview, onClose }: ConfirmProps) {
  const { asOf, digest, count, total, left, needsApproval } = preview
  return (
    <ActionDialog
      call={addPlanEarnings}
      title={t('Add earnings for the {plan} plan?', { plan: preview.plan })}
      description={
        needsApproval
          ? t('A second admin must approve each one.')
          : t(
              'Recorded returns are reserved for all of them. Each investor is notified, and each earning names its source.',
            )
      }
      entries={[
        [t('Investments'), number(count)],
        [t('Accrued by'), <When key="asOf" at={asOf} />],
        [t('From recorded returns to investors'), <Moved key="moved" value={total} />],
        [t('Recorded returns now'), localUsdJson(left)],
        [t('Recorded returns after'), localUsd(leftAfter(preview))],
      ]}
      fields={noteField}
      loading={t('{count, plural, one {Adding # earning} other {Adding # earnings}}', { count })}
      confirm={t('{count, plural, one {Add # earning} other {Add # earnings}}', { count })}
      input={({ note }) => ({
        params: { id: plan },
        body: { asOf, digest, ...(note.trim() === '' ? {} : { note: note.trim() }) },
      })}
      onClose={onClose}
    >
      <Field name="note" label={t('Note')} optional hint={t('Shown to every investor.')}>
        <Input dir="auto" maxLength={300} autoComplete="off" />
      </Field>
    </ActionDialog>
  )
}
