import { overviewOfChains } from '#server/chain/overview.ts'
import type { Services } from '#server/context.ts'
import { booksAtAGlance } from '#server/ledger/daily.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { cachedFor, cachedForAMinute } from '#server/queries/cached-for-a-minute.ts'
import type { CashFlow } from '#shared/contract/cash-flow.ts'
import type { chainOverview } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { cashFlowWeeks, cohortSeconds, heldReadingHours } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import {
  cohortsOf,
  type DueRow,
  investedByPlan,
  largestInvestors,
  moneyByMonth,
  openWithdrawals,
  principalDue,
} from './queries.ts'

type Coin = CashFlow['held']['coins'][number]
type ChainAsset = CallData<typeof chainOverview>['assets'][number]
type Excess = CashFlow['exceeds']['due']

const dayMs = 86_400_000

/** What falls due beside what we hold, money in and out, cohorts and concentration. */
export async function cashFlowOf(
  services: Pick<Services, 'db' | 'pool' | 'clock' | 'config'>,
): Promise<CashFlow> {
  const { db } = await readerOf(services)
  const [figures, cohorts, { assets }] = await Promise.all([
    measure(services),
    measureCohorts({ db, clock: services.clock }),
    overviewOfChains(services),
  ])
  const now = services.clock.now()
  const coins = assets.map(asset => heldCoin(asset, now))
  const known = coins.reduce((sum, { amount }) => sum + usdFromJson(amount ?? 0)!, 0n)
  const { first, ...shown } = figures
  const withdrawable = usdFromJson(figures.available)! + usdFromJson(figures.onHold)!
  return {
    ...shown,
    ...cohorts,
    held: { coins, known: usdToJson(known) },
    exceeds: {
      due: excessOf(figures.weeks, first, known),
      withAvailable: excessOf(figures.weeks, first, known - withdrawable),
    },
  }
}

/**
 * At most what the books hold: coins above that are payments not credited yet, or nobody's we know. A balance we do not
 * know is zero: an excess may be a false alarm, but none is never false comfort.
 */
function heldCoin({ asset, onChain, rate, inBooksUsd }: ChainAsset, now: Date): Coin {
  const unknown = unknownBecause({ onChain, rate }, now)
  return {
    asset,
    at: onChain?.at ?? null,
    amountCrypto: onChain?.amountCrypto ?? null,
    amount: unknown === null ? Math.max(0, Math.min(onChain!.amount!, inBooksUsd!)) : null,
    unknown,
  }
}

/** Why we do not know what a coin's balance is worth; null if we do. */
function unknownBecause({ onChain, rate }: Pick<ChainAsset, 'onChain' | 'rate'>, now: Date): Coin['unknown'] {
  if (onChain === null) return 'no_reading'
  if (onChain.at !== null && now.getTime() - Date.parse(onChain.at) > heldReadingHours * 3_600_000)
    return 'old_reading'
  if (rate === null || onChain.amount === null) return 'no_rate'
  return rate.stale ? 'old_rate' : null
}

/** @param held in cents; @param first what is due at once, in cents */
function excessOf(weeks: CashFlow['weeks'], first: bigint, held: bigint): Excess {
  const missing = (due: bigint) => usdToJson(due - held)
  if (first > held) return { now: true, week: weeks[0]!.from, missing: missing(first) }
  const week = weeks.find(({ due }) => usdFromJson(due)! > held)
  return week ? { now: false, week: week.from, missing: missing(usdFromJson(week.due)!) } : null
}

const measure = cachedForAMinute(async (db, now) => {
  const today = dayOf(now)
  const from = new Date(today)
  const [due, withdrawals, { owed, returns }, months, most, plans] = await Promise.all([
    principalDue(db, from, now),
    openWithdrawals(db),
    booksAtAGlance(db, { today, since: today }),
    moneyByMonth(db, now),
    largestInvestors(db),
    investedByPlan(db),
  ])
  const dueIn = (week: number): DueRow =>
    due.find(row => row.week === week) ?? { week, investments: 0, cents: 0n }
  /** What is due before the first week begins. */
  const first = withdrawals.pending + withdrawals.approved + dueIn(-1).cents
  /** The rest of what is on hold waits for pending investments. */
  const onHold = owed.held - withdrawals.pending - withdrawals.approved
  return {
    first,
    withdrawals: {
      pending: usdToJson(withdrawals.pending),
      approved: usdToJson(withdrawals.approved),
    },
    available: usdToJson(owed.available),
    onHold: usdToJson(onHold > 0n ? onHold : 0n),
    returnsLeft: usdToJson(returns.leftCents),
    ended: principal(dueIn(-1)),
    weeks: weeksOf(from, first, dueIn),
    later: principal(dueIn(cashFlowWeeks)),
    months: months.map(({ month, ...flows }) => ({
      month,
      deposits: usdToJson(flows.deposits),
      withdrawals: usdToJson(flows.withdrawals),
      earnings: usdToJson(flows.earnings),
      returns: usdToJson(flows.returns),
    })),
    concentration: {
      owed: usdToJson(most.owed),
      investors: most.investors,
      largest: [
        { investors: 1, amount: usdToJson(most.one) },
        { investors: 10, amount: usdToJson(most.ten) },
        { investors: 100, amount: usdToJson(most.hundred) },
      ],
      plans: plans.map(({ plan, ...row }) => ({ plan, ...principal(row) })),
    },
    asOf: now.toISOString(),
  }
})

/** Reads every entry: from the replica if there is one, and rarely. */
const measureCohorts = cachedFor(cohortSeconds, async (db, now) => ({
  cohorts: (await cohortsOf(db)).map(cohort => ({
    month: cohort.month,
    investors: cohort.investors,
    paidIn: usdToJson(cohort.paid_in),
    earned: usdToJson(cohort.earned),
    withdrawn: usdToJson(cohort.withdrawn),
    available: usdToJson(cohort.available),
    invested: usdToJson(cohort.invested),
  })),
  cohortsAsOf: now.toISOString(),
}))

function principal({ investments, cents }: Omit<DueRow, 'week'>) {
  return { investments, amount: usdToJson(cents) }
}

function weeksOf(from: Date, first: bigint, dueIn: (week: number) => DueRow): CashFlow['weeks'] {
  let sum = first
  return Array.from({ length: cashFlowWeeks }, (_, week) => {
    const row = dueIn(week)
    sum += row.cents
    const day = dayOf(new Date(from.getTime() + week * 7 * dayMs))
    return { from: day, ...principal(row), due: usdToJson(sum) }
  })
}
