import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { type Chain, ChainError, type FeeEstimate } from '#server/rails/chain.ts'
import { type RailName, railLabels } from '#shared/coins.ts'
import { highestFeeRate, lowestFeeRate } from '#shared/limits.ts'
import { payoutRefusals } from './messages.ts'

/** How often we ask our node, and how long its answer counts. */
const ASK_SECONDS = 60
const GOOD_FOR_MINUTES = 60

/** Stores what a network charges now. Without an answer the last one stays: a sync reports that its node is away. */
export async function readFees(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  rail: RailName,
  chain: Pick<Chain, 'fees'>,
): Promise<void> {
  const now = clock.now()
  const last = await rowOf(db, rail)
  if (last && last.at.getTime() > now.getTime() - ASK_SECONDS * 1000) return
  const fees = await chain.fees().catch(ignoreAway)
  if (fees === null) return
  const row = { ...fees, at: now }
  await db
    .insertInto('app.fee_estimates')
    .values({ rail, ...row })
    .onConflict(conflict => conflict.column('rail').doUpdateSet(row))
    .execute()
}

function ignoreAway(error: unknown): null {
  if (error instanceof ChainError) return null
  throw error
}

function rowOf(db: Kysely<Schema>, rail: RailName) {
  return db
    .selectFrom('app.fee_estimates')
    .select(['price', 'tip', 'at'])
    .where('rail', '=', rail)
    .executeTakeFirst()
}

/** The last estimate of our node, if it is recent. */
export async function feesNow(
  db: Kysely<Schema>,
  rail: RailName,
  now: Date,
): Promise<FeeEstimate | undefined> {
  const row = await rowOf(db, rail)
  const isRecent = row !== undefined && row.at.getTime() > now.getTime() - GOOD_FOR_MINUTES * 60_000
  return isRecent ? { price: row.price, tip: row.tip } : undefined
}

/** The same, on a network without another way to name a fee. @throws AppError no_fee_estimate */
export async function requireFees(
  db: Kysely<Schema>,
  rail: 'ethereum' | 'usdt',
  now: Date,
): Promise<FeeEstimate> {
  const fees = await feesNow(db, rail, now)
  if (fees === undefined) throw payoutRefusals.error({ reason: 'no_fee_estimate', network: railLabels[rail] })
  return fees
}

/** Bitcoin's estimate in satoshi per virtual byte, rounded up, within our limits. */
export async function feeRateNow(db: Kysely<Schema>, now: Date): Promise<number | null> {
  const fees = await feesNow(db, 'bitcoin', now)
  if (fees === undefined) return null
  const rate = Number((fees.price + 999n) / 1000n)
  return Math.min(highestFeeRate, Math.max(lowestFeeRate, rate))
}
