import { type FormEvent, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import {
  listPlanVersions,
  type ManagedPlan,
  newPlan,
  restorePlan,
  retirePlan,
  updatePlan,
} from '#shared/contract/plans.ts'
import { localUsdJson } from '#shared/i18n/amounts.ts'
import { number } from '#shared/i18n/intl.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { riskLine } from '#shared/plans.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { versionsAtOnce } from '#web/admin/tables/list-body.tsx'
import { VersionHistory } from '#web/admin/versions/history.tsx'
import { HistoryDialog } from '#web/admin/versions/history-dialog.tsx'
import { unchanged, WhatChanges } from '#web/admin/versions/what-changes.tsx'
import { useList } from '#web/api/list.ts'
import { Field } from '#web/ui/field.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import { Input, MoneyInput } from '#web/ui/input.tsx'
import {
  emptyPlan,
  type PlanValues,
  planBody,
  planChanges,
  planError,
  planFields,
  planShown,
  valuesOf,
} from './plan-form.ts'

const fields = [...planFields, 'reason'] as const
type Values = PlanValues & { reason: string }

/** Adds a plan to the catalogue (N-14). */
export function NewPlan({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      call={newPlan}
      title={t('New plan')}
      description={t('Appears last in the catalogue and is open to investors at once.')}
      entries={[]}
      fields={fields}
      check={(values: Values) => mergeErrors(planError(values), reasonError(values))}
      confirm={t('Add plan')}
      input={values => ({ body: { ...planBody(values), reason: values.reason.trim() } })}
      onClose={onClose}
    >
      <Terms of={emptyPlan} />
      <ReasonField />
    </ActionDialog>
  )
}

type OneProps = { plan: ManagedPlan; onClose: () => void }

/** Edits a plan and lists the changes before saving (D4). */
function EditPlan({ plan, onClose }: OneProps) {
  const before = valuesOf(plan)
  const [after, setAfter] = useState(before)
  const changes = planChanges(before, after)
  function edited({ target }: FormEvent<HTMLFieldSetElement>) {
    const { name, value } = target as HTMLInputElement
    setAfter(current => ({ ...current, [name]: value }))
  }
  function check(values: Values) {
    const none = planChanges(before, values).length === 0 ? unchanged : undefined
    return planError(values) ?? mergeErrors(none, reasonError(values))
  }
  return (
    <ActionDialog
      call={updatePlan}
      title={t('Edit {plan}', { plan: plan.name })}
      description={t('Creates version {version}, for new investments only.', { version: plan.version + 1 })}
      entries={[]}
      fields={fields}
      check={check}
      confirm={t('Create version {version}', { version: plan.version + 1 })}
      input={values => ({
        params: { id: plan._id },
        body: { ...planBody(values), version: plan.version, reason: values.reason.trim() },
      })}
      onClose={onClose}
    >
      <Terms of={before} onEdit={edited} />
      <WhatChanges changes={changes} />
      <ReasonField />
    </ActionDialog>
  )
}

type TermsProps = { of: PlanValues; onEdit?: (event: FormEvent<HTMLFieldSetElement>) => void }

function Terms({ of, onEdit }: TermsProps) {
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2" onInput={onEdit} onBlur={onEdit}>
      <legend className="sr-only">{t('Plan terms')}</legend>
      <Field name="name" label={t('Name')}>
        <Input dir="auto" defaultValue={of.name} maxLength={60} autoFocus />
      </Field>
      <Field name="percentage" label={t('Target (% of the amount)')}>
        <Input defaultValue={of.percentage} inputMode="decimal" autoComplete="off" />
      </Field>
      <Field name="minimum" label={t('Minimum')}>
        <MoneyInput defaultValue={of.minimum} />
      </Field>
      <Field name="maximum" label={t('Maximum')} optional>
        <MoneyInput defaultValue={of.maximum} placeholder={t('Unlimited')} />
      </Field>
      <Field name="duration" label={t('Duration, as shown on the card')}>
        <Input dir="auto" defaultValue={of.duration} maxLength={30} />
      </Field>
      <Field name="durationDays" label={t('Days')}>
        <Input defaultValue={of.durationDays} inputMode="numeric" autoComplete="off" />
      </Field>
      <Field name="note" label={t('Note on the card')} optional className="sm:col-span-2">
        <Input dir="auto" defaultValue={of.note} maxLength={120} />
      </Field>
      <p className="text-ink-faint text-sm sm:col-span-2">{translate(riskLine)}</p>
    </fieldset>
  )
}

function Retire({ plan, onClose }: OneProps) {
  return (
    <ReasonDialog
      call={retirePlan}
      reader="log"
      title={t('Retire {plan}?', { plan: plan.name })}
      description={t('It closes to new investments. Existing investments continue under their version.')}
      entries={[[t('Active investments that continue'), number(plan.activeInvestments)]]}
      confirm={t('Retire plan')}
      tone="danger"
      input={reason => ({ params: { id: plan._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function Restore({ plan, onClose }: OneProps) {
  return (
    <ReasonDialog
      call={restorePlan}
      reader="log"
      title={t('Restore {plan}?', { plan: plan.name })}
      description={t('It opens to investors again with its previous terms.')}
      entries={planShown(valuesOf(plan))}
      confirm={t('Restore plan')}
      input={reason => ({ params: { id: plan._id }, body: { reason } })}
      onClose={onClose}
    >
      <p className="text-ink-faint text-sm">{translate(riskLine)}</p>
    </ReasonDialog>
  )
}

type Version = CallData<typeof listPlanVersions>[number]

function held({ activeInvestments, invested }: Version): string {
  if (activeInvestments === 0) return t('No active investments.')
  return t('{count, plural, one {# active investment} other {# active investments}}, {amount} in total.', {
    count: activeInvestments,
    amount: localUsdJson(invested),
  })
}

function History({ plan, onClose }: OneProps) {
  const list = useList(listPlanVersions, { limit: versionsAtOnce }, { params: { id: plan._id } })
  return (
    <HistoryDialog title={t('Versions of {plan}', { plan: plan.name })} onClose={onClose}>
      <VersionHistory
        list={list}
        valuesOf={version => planShown(valuesOf(version))}
        origin={t('from the sample')}
        noteOf={held}
      />
      <p className="mt-4 text-ink-faint text-sm">{translate(riskLine)}</p>
    </HistoryDialog>
  )
}

/** Actions on a plan. */
export function planActions(plan: ManagedPlan): Action[] {
  const of = plan.name
  const history: Action = {
    label: t('History'),
    call: listPlanVersions,
    of: t('of {plan}', { plan: of }, 'after History'),
    dialog: close => <History plan={plan} onClose={close} />,
  }
  if (plan.retired) {
    return [
      {
        label: t('Restore'),
        call: restorePlan,
        of,
        dialog: close => <Restore plan={plan} onClose={close} />,
      },
      history,
    ]
  }
  return [
    { label: t('Edit'), call: updatePlan, of, dialog: close => <EditPlan plan={plan} onClose={close} /> },
    { label: t('Retire'), call: retirePlan, of, dialog: close => <Retire plan={plan} onClose={close} /> },
    history,
  ]
}
