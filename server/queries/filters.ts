import { type Expression, type SqlBool, sql } from 'kysely'
import { dayAfter, startOfDay } from '#server/platform/zones.ts'
import type { AmountFilter, PeriodFilter } from '#shared/contract/tables.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { parseUsd } from '#shared/money.ts'

/** The conditions that several lists share. Each is true where nothing is asked for. */

const anything = sql<SqlBool>`true`

function both(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  return conditions.length === 0 ? anything : sql<SqlBool>`${sql.join(conditions, sql` AND `)}`
}

/**
 * The first moment of a period of whole days, and the first one after it; undefined: no limit.
 * @throws AppError invalid_input where the last day comes before the first
 */
export function momentsOf({ from, to, zone = 'UTC' }: PeriodFilter): { from?: Date; until?: Date } {
  if (from !== undefined && to !== undefined && to < from) {
    const message = t('The last day cannot be before the first')
    throw new AppError('invalid_input', message, { fields: { to: message } })
  }
  return {
    from: from === undefined ? undefined : startOfDay(from, zone),
    until: to === undefined ? undefined : startOfDay(dayAfter(to), zone),
  }
}

/** Moments of the period. */
export function inPeriod(moment: Expression<Date>, filter: PeriodFilter): Expression<SqlBool> {
  const { from, until } = momentsOf(filter)
  return both([
    ...(from === undefined ? [] : [sql<SqlBool>`${moment} >= ${from}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`${moment} < ${until}`]),
  ])
}

/** Days of the period: they have no zone. */
export function onDays(day: Expression<string>, filter: PeriodFilter): Expression<SqlBool> {
  const { from, to } = filter
  momentsOf(filter)
  return both([
    ...(from === undefined ? [] : [sql<SqlBool>`${day} >= ${from}::date`]),
    ...(to === undefined ? [] : [sql<SqlBool>`${day} <= ${to}::date`]),
  ])
}

/**
 * Amounts, in cents, between two, both included.
 * @throws AppError invalid_input where the largest is below the least
 */
export function ofAmount(
  cents: Expression<bigint>,
  { amountFrom, amountTo }: AmountFilter,
): Expression<SqlBool> {
  const [from, to] = [amountFrom, amountTo].map(text => (text === undefined ? undefined : parseUsd(text)))
  if (from !== undefined && to !== undefined && to < from) {
    const message = t('The largest amount cannot be below the smallest')
    throw new AppError('invalid_input', message, { fields: { amountTo: message } })
  }
  return both([
    ...(from === undefined ? [] : [sql<SqlBool>`${cents} >= ${from}`]),
    ...(to === undefined ? [] : [sql<SqlBool>`${cents} <= ${to}`]),
  ])
}

/** How a list is sorted that is narrowed to a period, unless it was asked otherwise: along the period, which has an index. */
export function orderOfPeriod(
  { sort, from, to }: PeriodFilter & { sort?: string },
  by: string,
): string | undefined {
  return sort ?? (from === undefined && to === undefined ? undefined : by)
}
