import type { WrittenStatistic } from '#shared/contract/firm.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Values } from '#web/admin/versions/changes.ts'
import { futureDateError } from '#web/components/days.ts'
import { mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'

export const figureFields = ['label', 'value', 'source', 'evidence', 'asOf'] as const
export type FigureValues = Record<(typeof figureFields)[number], string>

/** For `translate`. */
const names: Record<keyof FigureValues, string> = {
  label: msg('Label'),
  value: msg('Value'),
  get source() {
    return t('Source', {}, 'of a figure')
  },
  evidence: msg('Evidence'),
  asOf: msg('As of'),
}

export function valuesOf(figure?: Pick<WrittenStatistic, keyof FigureValues>): FigureValues {
  return Object.fromEntries(figureFields.map(field => [field, figure?.[field] ?? ''])) as FigureValues
}

/** Values by which versions are compared. */
export function shownValues(values: FigureValues): Values {
  return figureFields.map(field => [translate(names[field]), values[field].trim()])
}

/** Form errors. */
export function figureError(values: FigureValues): ValidationError | undefined {
  return mergeErrors(
    missing(values, figureFields, t('Enter the value, source, evidence and date')),
    futureDateError('asOf', values.asOf),
  )
}

/** The request for valid values. */
export function figureBody(values: FigureValues): FigureValues {
  return Object.fromEntries(figureFields.map(field => [field, values[field].trim()])) as FigureValues
}
