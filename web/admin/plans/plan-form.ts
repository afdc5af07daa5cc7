import type { CallInput } from '#shared/contract/define.ts'
import type { Plan } from '#shared/contract/entities.ts'
import type { updatePlan } from '#shared/contract/plans.ts'
import { enterUsd, localUsd, parseTypedUsd, typedUsd } from '#shared/i18n/amounts.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { formatDecimal, usdFromJson, usdToJson } from '#shared/money.ts'
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
    percentage: number(plan.percentage),
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
  const empty = missing(values, required, t('Please complete all required fields'))
  if (empty) return empty
  if (hundredthsOf(values.percentage) === undefined) {
    return fieldError(
      'percentage',
      t('Enter a percentage with at most two decimals, such as {example}', { example: number(10.5) }),
    )
  }
  for (const field of ['minimum', 'maximum'] as const) {
    if (values[field].trim() !== '' && parseTypedUsd(values[field]) === undefined) {
      return fieldError(field, enterUsd(100_000n))
    }
  }
  return /^\d+$/.test(values.durationDays.trim())
    ? undefined
    : fieldError('durationDays', t('Enter a whole number of days'))
}

/** A percentage as the language writes it: '5.5', '5,5'. */
function typedPercentage(hundredths: bigint): string {
  return number(Number(formatDecimal(hundredths, 2)))
}

/** Of a percentage as people type it in their language: '10.5', '10,5'. */
function hundredthsOf(percentage: string): bigint | undefined {
  return percentage.includes('$') ? undefined : parseTypedUsd(percentage)
}

/** The request for valid values. */
export function planBody(values: PlanValues): CallInput<typeof updatePlan>['body'] {
  return {
    name: values.name.trim(),
    percentage: Number(formatDecimal(hundredthsOf(values.percentage)!, 2)),
    minimum: usdToJson(parseTypedUsd(values.minimum)!),
    maximum: values.maximum.trim() === '' ? null : usdToJson(parseTypedUsd(values.maximum)!),
    duration: values.duration.trim(),
    durationDays: Number(values.durationDays),
    note: values.note.trim() === '' ? null : values.note.trim(),
  }
}

const words: Record<keyof PlanValues, string> = {
  name: msg('Name'),
  percentage: msg('Target, percent'),
  minimum: msg('Minimum'),
  maximum: msg('Maximum'),
  duration: msg('Duration'),
  durationDays: msg('Days'),
  note: msg('Note'),
}

/** Normalises values: '1,000' and '1,000.00' are equal, and so are '5.5' and '5.50'. */
function tidy(values: PlanValues): PlanValues {
  const tidied = (typed: string, units: bigint | undefined, write: (units: bigint) => string) =>
    units === undefined ? typed.trim() : write(units)
  const amount = (typed: string) => tidied(typed, parseTypedUsd(typed), localUsd)
  const trimmed = Object.fromEntries(planFields.map(field => [field, values[field].trim()])) as PlanValues
  return {
    ...trimmed,
    percentage: tidied(values.percentage, hundredthsOf(values.percentage), typedPercentage),
    minimum: amount(values.minimum),
    maximum: amount(values.maximum),
  }
}

/** Values by which versions are compared. */
export function planShown(values: PlanValues): Values {
  const none = { maximum: t('Unlimited'), note: t('none', {}, 'no note') } as Partial<PlanValues>
  const tidied = tidy(values)
  return planFields.map(field => [translate(words[field]), tidied[field] || none[field] || ''])
}

/** Changes of the new version. */
export function planChanges(before: PlanValues, after: PlanValues): [field: string, change: string][] {
  return changesBetween(planShown(before), planShown(after))
}
