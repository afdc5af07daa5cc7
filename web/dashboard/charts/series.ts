import type { CallData } from '#shared/contract/define.ts'
import type { StatementAccount } from '#shared/contract/entities.ts'
import type { allocation, balanceSeries, earningsByMonth } from '#shared/contract/ledger.ts'
import { divideHalfEven, formatDecimal, usdFromJson } from '#shared/money.ts'

/** What charts are drawn of: all amounts are cents. */

export type BalanceSeries = CallData<typeof balanceSeries>
export type Earnings = CallData<typeof earningsByMonth>
export type Allocation = CallData<typeof allocation>

/** What the accounts held at the end of a day (YYYY-MM-DD). */
export type BalancePoint = { day: string; total: bigint } & Record<StatementAccount, bigint>
/** What was earned in a month (YYYY-MM). */
export type MonthPoint = { month: string; earned: bigint }
/** A part of all the money, and how many thousandths of it that is. */
export type Share = { name: string; cents: bigint; perMille: bigint; look: Look }

/** How a part is drawn: by a pattern, so that no part is known by its colour alone. */
export const looks = ['available', 'invested', 'held'] as const
export type Look = (typeof looks)[number]

/** From the bottom up. */
export const stacked = ['invested', 'held', 'available'] as const

const cents = (usd: number) => usdFromJson(usd)!

export function balancePoints({ points }: BalanceSeries): BalancePoint[] {
  return points.map(({ day, available, invested, held, total }) => ({
    day,
    available: cents(available),
    invested: cents(invested),
    held: cents(held),
    total: cents(total),
  }))
}

export function monthPoints({ months }: Earnings): MonthPoint[] {
  return months.map(({ month, earned }) => ({ month, earned: cents(earned) }))
}

/** The parts of all the money, those in plans first; what there is nothing of is left out. */
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
    share('Available', available, 'available'),
    share('On hold', held, 'held'),
  ].filter(part => part.cents > 0n)
}

/** 412n as '41.2%'. */
export function percentWords(perMille: bigint): string {
  return `${formatDecimal(perMille, 1)}%`
}

/** One year of the grid of months: its twelve months, null where one is not in the period, and their sum. */
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
