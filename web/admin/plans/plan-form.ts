import type { CallInput } from '#shared/contract/define.ts'
import type { Plan } from '#shared/contract/entities.ts'
import type { updatePlan } from '#shared/contract/plans.ts'
import { typedUsd } from '#shared/i18n/amounts.ts'
import { msg } from '#shared/i18n/t.ts'
import { formatDecimal, formatUsd, parseDecimal, parseUsd, usdFromJson, usdToJson } from '#shared/money.ts'
import { changesBetween, type Values } from '#web/admin/versions/changes.ts'
import { fieldError, missing, type ValidationError } from '#web/ui/form.tsx'

/** Form fields of a plan; an empty maximum is 'Unlimited', an empty note none. */
export const planFields = [
  'name',
  'percentage',
  'minimum',
  'maximum',
  'duration',
  'durationDays',
  'note',
] as const
export type PlanValues = Record<(typeof planFields)[number], string>

/** Initial values of the form. */
export function valuesOf(plan: Omit<Plan, '_id' | 'changedAt' | 'version'>): PlanValues {
  return {
    name: plan.name,
    percentage: String(plan.percentage),
    minimum: typedUsd(usdFromJson(plan.minimum)!),
    maximum: plan.maximum === null ? '' : typedUsd(usdFromJson(plan.maximum)!),
    duration: plan.duration,
    durationDays: String(plan.durationDays),
    note: plan.note ?? '',
  }
}

/** Initial values of a new plan. */
export const emptyPlan = Object.fromEntries(planFields.map(field => [field, ''])) as PlanValues

const required = ['name', 'percentage', 'minimum', 'duration', 'durationDays'] as const

/** Form errors; the server validates the rest. */
export function planError(values: PlanValues): ValidationError | undefined {
  const empty = missing(values, required, 'Please complete all required fields')
  if (empty) return empty
  if (parseDecimal(values.percentage, 2) === undefined) {
    return fieldError('percentage', 'Enter a percentage with at most two decimals, such as 10.5')
  }
  for (const field of ['minimum', 'maximum'] as const) {
    if (values[field].trim() !== '' && parseUsd(values[field]) === undefined) {
      return fieldError(field, 'Enter an amount in dollars, such as 1,000')
    }
  }
  return /^\d+$/.test(values.durationDays.trim())
    ? undefined
    : fieldError('durationDays', 'Enter a whole number of days')
}

/** The request for valid values. */
export function planBody(values: PlanValues): CallInput<typeof updatePlan>['body'] {
  return {
    name: values.name.trim(),
    percentage: Number(formatDecimal(parseDecimal(values.percentage, 2)!, 2)),
    minimum: usdToJson(parseUsd(values.minimum)!),
    maximum: values.maximum.trim() === '' ? null : usdToJson(parseUsd(values.maximum)!),
    duration: values.duration.trim(),
    durationDays: Number(values.durationDays),
    note: values.note.trim() === '' ? null : values.note.trim(),
  }
}

const words: Record<keyof PlanValues, string> = {
  name: 'Name',
  percentage: 'Target, percent',
  minimum: 'Minimum',
  maximum: 'Maximum',
  duration: 'Duration',
  durationDays: 'Days',
  note: msg('Note'),
}

/** Normalises values: '1,000' and '1,000.00' are equal. */
function tidy(values: PlanValues): PlanValues {
  const amount = (typed: string) => {
    const cents = parseUsd(typed)
    return cents === undefined ? typed.trim() : formatUsd(cents)
  }
  const trimmed = Object.fromEntries(planFields.map(field => [field, values[field].trim()])) as PlanValues
  return { ...trimmed, minimum: amount(values.minimum), maximum: amount(values.maximum) }
}

/** Values by which versions are compared. */
export function planShown(values: PlanValues): Values {
  const none = { maximum: 'Unlimited', note: 'none' } as Partial<PlanValues>
  const tidied = tidy(values)
  return planFields.map(field => [words[field], tidied[field] || none[field] || ''])
}

/** Changes of the new version. */
export function planChanges(before: PlanValues, after: PlanValues): [field: string, change: string][] {
  return changesBetween(planShown(before), planShown(after))
}
