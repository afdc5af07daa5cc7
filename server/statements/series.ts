import type { Kysely } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { InvestorBalances } from '#server/ledger/balances.ts'
import { balancesAt, firstMovedAt, type Moment, receivedAt } from '#server/ledger/series.ts'
import { type PeriodTotals, periodTotals } from '#server/ledger/totals.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { dayAfter, dayBefore, localTimes, startOfDay, startsOfDays } from '#server/platform/zones.ts'
import type { SeriesStep } from '#shared/contract/ledger.ts'
import { seriesPoints } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { usdToJson } from '#shared/money.ts'
import type { Period } from './period.ts'
import { type Returns, returnsOf } from './returns.ts'
import { sumsOf } from './summary.ts'

/** The balances at the end of a day (YYYY-MM-DD), and all that was earned by then, in cents. */
export type Point = InvestorBalances & { day: string; earned: bigint }

/** The part of a period with data: its first and last day. */
type Span = { firstDay: string; lastDay: string; isUpToNow: boolean }

const dayMilliseconds = 86_400_000

type Balances = { step: SeriesStep; points: Point[]; totals: PeriodTotals | undefined; returns: Returns }

/**
 * An investor's closing balances over a period, its totals and its returns, in one snapshot. The first point is the opening balance;
 * days before the first posting or after today are left out.
 */
export async function balancesOver(
  db: Kysely<Schema>,
  userId: string,
  period: Period,
  now: Date,
): Promise<Balances> {
  const span = spanOf(period, await firstMovedAt(db, userId), now)
  if (span === undefined) return { step: 'day', points: [], totals: undefined, returns: returnsOf([]) }
  // Loading a zone's rules is slow, so do it before taking a connection.
  const { step, days } = closingDays(span.firstDay, span.lastDay)
  const shown = [dayBefore(span.firstDay), ...days]
  const ends = endsOf(shown, span, period.zone)
  const from = startOfDay(span.firstDay, period.zone)
  const until = span.isUpToNow ? undefined : period.until
  const { balances, received, totals } = await snapshot(db, async tx => ({
    balances: await balancesAt(tx, userId, ends),
    received: await receivedAt(tx, userId, ends),
    totals: await periodTotals(tx, userId, { from, until }),
  }))
  const points = shown.map((day, n) => ({ day, ...balances[n]!, earned: received[n]!.earned }))
  const valuations = points.map((point, n) => ({
    day: point.day,
    total: totalOf(point),
    ...received[n]!,
  }))
  return { step, points, totals, returns: returnsOf(valuations) }
}

/** An investor's earnings by month (YYYY-MM) in cents, for the part of the period with data. */
export async function earnedByMonth(
  db: Kysely<Schema>,
  userId: string,
  period: Period,
  now: Date,
): Promise<{ month: string; cents: bigint }[]> {
  const span = spanOf(period, await firstMovedAt(db, userId), now)
  if (span === undefined) return []
  const days = monthEnds(span.firstDay, span.lastDay)
  const received = await receivedAt(
    db,
    userId,
    endsOf([dayBefore(span.firstDay), ...days], span, period.zone),
  )
  return days.map((day, n) => ({
    month: day.slice(0, 7),
    cents: received[n + 1]!.earned - received[n]!.earned,
  }))
}

function snapshot<T>(db: Kysely<Schema>, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

function spanOf({ firstDay, lastDay, zone }: Period, movedAt: Date | undefined, now: Date): Span | undefined {
  if (movedAt === undefined) return undefined
  const dayOf = (at: Date) => localTimes(zone)(at).day
  // The database's clock may be slightly ahead of this process's.
  const today = dayOf(movedAt > now ? movedAt : now)
  const begin = dayOf(movedAt)
  const first = firstDay === undefined || firstDay < begin ? begin : firstDay
  const isUpToNow = lastDay >= today
  const last = isUpToNow ? today : lastDay
  return first > last ? undefined : { firstDay: first, lastDay: last, isUpToNow }
}

/** The ends of these days; today ends now. */
function endsOf(days: readonly string[], { isUpToNow }: Span, zone: string): Moment[] {
  const ends: Moment[] = startsOfDays(days.map(dayAfter), zone)
  return isUpToNow ? [...ends.slice(0, -1), 'latest'] : ends
}

/** The days whose ends are the points of a series, as dense as `seriesPoints` allows. */
export function closingDays(first: string, last: string): { step: SeriesStep; days: string[] } {
  const count = (Date.parse(last) - Date.parse(first)) / dayMilliseconds + 1
  if (count <= seriesPoints) return { step: 'day', days: daysFrom(first, last, 1) }
  const toSunday = (7 - new Date(first).getUTCDay()) % 7
  const sunday = dayOf(new Date(Date.parse(first) + toSunday * dayMilliseconds))
  const weeks = daysFrom(sunday, last, 7)
  if (weeks.length < seriesPoints) return { step: 'week', days: endingWith(weeks, last) }
  return { step: 'month', days: monthEnds(first, last) }
}

function daysFrom(first: string, last: string, every: number): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += every * dayMilliseconds) {
    days.push(dayOf(new Date(at)))
  }
  return days
}

/** The last day of each month in the range; the final month ends with `last`. */
function monthEnds(first: string, last: string): string[] {
  const [year = 0, month = 1] = first.split('-').map(Number)
  const days: string[] = []
  for (let n = 0; ; n += 1) {
    const end = dayOf(new Date(Date.UTC(year, month + n, 0)))
    if (end >= last) return [...days, last]
    days.push(end)
  }
}

function endingWith(days: string[], last: string): string[] {
  return days.at(-1) === last ? days : [...days, last]
}

/** An investor's total funds, in cents. */
export function totalOf({ available, held, invested }: InvestorBalances): bigint {
  return available + held + invested
}

export function presentPoint({ day, earned, ...balances }: Point) {
  return {
    day,
    available: usdToJson(balances.available),
    invested: usdToJson(balances.invested),
    held: usdToJson(balances.held),
    total: usdToJson(totalOf(balances)),
    netPaidIn: usdToJson(totalOf(balances) - earned),
  }
}

/** Money in and out across all accounts, with deposits apart from earnings. */
export function presentFlows(totals: PeriodTotals | undefined) {
  const { kinds, outCents } = totals === undefined ? { kinds: [], outCents: 0n } : sumsOf(totals)
  const received = (...of: string[]) =>
    kinds.reduce((sum, { kind, inCents }) => (of.includes(kind) ? sum + inCents : sum), 0n)
  return {
    paidIn: usdToJson(received('deposit', 'investment')),
    earned: usdToJson(received('earning')),
    paidOut: usdToJson(outCents),
  }
}
