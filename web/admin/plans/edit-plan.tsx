import { type FormEvent, useState } from 'react'
import type { Plan } from '#shared/contract/entities.ts'
import { updatePlan } from '#shared/contract/plans.ts'
import { ActDialog } from '#web/admin/acts/act-dialog.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import type { Fault } from '#web/ui/form.tsx'
import { Input, MoneyInput } from '#web/ui/input.tsx'
import { type PlanValues, planBody, planChanges, planFault, planFields, valuesOf } from './plan-form.ts'

const unchanged: Fault = { message: 'Nothing has been changed', fields: {} }

/** Edits a plan: what changes is listed before a new version is made (D4). */
export function EditPlan({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const before = valuesOf(plan)
  const [after, setAfter] = useState(before)
  const changes = planChanges(before, after)
  function edited({ target }: FormEvent<HTMLFieldSetElement>) {
    const { name, value } = target as HTMLInputElement
    setAfter(current => ({ ...current, [name]: value }))
  }
  function check(values: PlanValues) {
    return planFault(values) ?? (planChanges(before, values).length === 0 ? unchanged : undefined)
  }
  return (
    <ActDialog
      call={updatePlan}
      title={`Edit ${plan.name}`}
      description={`Makes version ${plan.version + 1}, for investments from now on.`}
      entries={[]}
      fields={planFields}
      check={check}
      confirm={`Make version ${plan.version + 1}`}
      input={values => ({ params: { id: plan._id }, body: planBody(values) })}
      onClose={onClose}
    >
      <fieldset className="grid gap-5 sm:grid-cols-2" onInput={edited} onBlur={edited}>
        <legend className="sr-only">Terms of the plan</legend>
        <Field name="name" label="Name">
          <Input defaultValue={before.name} maxLength={60} autoFocus />
        </Field>
        <Field name="percentage" label="Target, percent of the amount">
          <Input defaultValue={before.percentage} inputMode="decimal" autoComplete="off" />
        </Field>
        <Field name="minimum" label="Minimum">
          <MoneyInput defaultValue={before.minimum} />
        </Field>
        <Field name="maximum" label="Maximum" optional>
          <MoneyInput defaultValue={before.maximum} placeholder="Unlimited" />
        </Field>
        <Field name="duration" label="Duration, as the card says it">
          <Input defaultValue={before.duration} maxLength={30} />
        </Field>
        <Field name="durationDays" label="Days">
          <Input defaultValue={before.durationDays} inputMode="numeric" autoComplete="off" />
        </Field>
        <Field name="note" label="Note on the card" optional className="sm:col-span-2">
          <Input defaultValue={before.note} maxLength={120} />
        </Field>
      </fieldset>
      <Changes changes={changes} />
    </ActDialog>
  )
}

function Changes({ changes }: { changes: [field: string, change: string][] }) {
  return (
    <div role="status" className="border-rule border-t pt-3">
      <h3 className="font-medium text-sm">What changes</h3>
      {changes.length === 0 ? (
        <p className="py-2.5 text-ink-soft">Nothing yet.</p>
      ) : (
        <DescriptionList entries={changes} />
      )}
    </div>
  )
}
