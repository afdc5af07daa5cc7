import type { CallData } from '#shared/contract/define.ts'
import type { StatementAccount } from '#shared/contract/entities.ts'
import type { allocation, balanceSeries, earningsByMonth } from '#shared/contract/ledger.ts'
import { perLanguage } from '#shared/i18n/intl.ts'
import { translate } from '#shared/i18n/t.ts'
import { divideHalfEven, formatDecimal, usdFromJson } from '#shared/money.ts'
import { accountNames } from '#shared/statement.ts'

/** Data of the charts; amounts in cents. */

export type BalanceSeries = CallData<typeof balanceSeries>
export type Earnings = CallData<typeof earningsByMonth>
export type Allocation = CallData<typeof allocation>

/** Balances at the end of a day (YYYY-MM-DD), and what was paid in by then less what was withdrawn. */
export type BalancePoint = { day: string; total: bigint; netPaidIn: bigint } & Record<
  StatementAccount,
  bigint
>
/** Earnings of a month (YYYY-MM). */
export type MonthPoint = { month: string; earned: bigint }
/** A share of all the money, also in thousandths. */
export type Share = { name: string; cents: bigint; perMille: bigint; look: Look }

/** Patterns, so that colour is not the only difference. */
export const looks = ['available', 'invested', 'held'] as const
export type Look = (typeof looks)[number]

/** Stacking order, bottom up. */
export const stacked = ['invested', 'held', 'available'] as const

const cents = (usd: number) => usdFromJson(usd)!

export function balancePoints({ points }: BalanceSeries): BalancePoint[] {
  return points.map(({ day, available, invested, held, total, netPaidIn }) => ({
    day,
    available: cents(available),
    invested: cents(invested),
    held: cents(held),
    total: cents(total),
    netPaidIn: cents(netPaidIn),
  }))
}

export function monthPoints({ months }: Earnings): MonthPoint[] {
  return months.map(({ month, earned }) => ({ month, earned: cents(earned) }))
}

/** Shares of all the money, plans first, without empty ones. */
export function sharesOf({ plans, available, held, total }: Allocation): Share[] {
  const all = cents(total)
  const share = (name: string, usd: number, look: Look): Share => ({
    name,
    cents: cents(usd),
    perMille: all > 0n ? divideHalfEven(cents(usd) * 1000n, all) : 0n,
    look,
  })
  return [
    ...plans.map(({ plan, amount }) => share(plan, amount, 'invested')),
    share(translate(accountNames.available), available, 'available'),
    share(translate(accountNames.held), held, 'held'),
  ].filter(part => part.cents > 0n)
}

const percents = (digits: number) =>
  perLanguage(
    ({ numbers }) =>
      new Intl.NumberFormat(numbers, {
        style: 'percent',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        useGrouping: false,
      }),
  )
const ofShare = percents(1)
const ofReturn = percents(2)

/** 412n as '41.2%'. */
export function percentWords(perMille: bigint): string {
  return ofShare().format(formatDecimal(perMille, 3) as `${number}`)
}

/** 7.1 as '7.10%'. */
export function percent(value: number): string {
  return ofReturn().format(`${Number(value.toFixed(2))}e-2` as `${number}`)
}

/** A year in the month grid: twelve months (null outside the period) and their sum. */
export type YearRow = { year: string; months: (bigint | null)[]; total: bigint }

export function yearsOf(points: readonly MonthPoint[]): YearRow[] {
  const years = [...new Set(points.map(({ month }) => month.slice(0, 4)))]
  return years.map(year => {
    const own = points.filter(({ month }) => month.startsWith(year))
    const months = Array.from({ length: 12 }, (_, n) => {
      const month = `${year}-${String(n + 1).padStart(2, '0')}`
      return own.find(point => point.month === month)?.earned ?? null
    })
    return { year, months, total: own.reduce((sum, { earned }) => sum + earned, 0n) }
  })
}
