import { invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { dayOf, utcDay } from '#shared/moments.ts'

/**
 * @param day YYYY-MM-DD
 * @throws AppError invalid_input at the field, if the day has not begun in UTC
 */
export function refuseFutureDay(field: string, day: string, now: Date): void {
  if (day > dayOf(now)) {
    throw invalidField(
      field,
      t('The date cannot be in the future. Today is {day} (UTC)', { day: utcDay(now) }),
    )
  }
}
