import { createHash } from 'node:crypto'
import { v7 } from 'uuid'
import type { Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'

/** The specification's catalogue (K-01, product.md 9): percentages in basis points, amounts in whole dollars. */
export const samplePlans = [
  { name: 'Beginner', bp: 300, from: 500n, to: 1_999n, duration: '30 days', days: 30 },
  { name: 'Basic', bp: 900, from: 100n, to: 999n, duration: '30 days', days: 30 },
  { name: 'Enthusiast', bp: 1_050, from: 1_000n, to: 4_999n, duration: '30 days', days: 30 },
  { name: 'Business', bp: 1_300, from: 5_000n, to: 9_999n, duration: '30 days', days: 30 },
  { name: 'Promo', bp: 1_500, from: 10_000n, to: 49_999n, duration: '30 days', days: 30 },
  { name: 'Elite', bp: 2_000, from: 20_000n, to: 9_999_999n, duration: '5 days', days: 5 },
  { name: 'Deluxe', bp: 2_500, from: 50_000n, to: null, duration: '5 months', days: 150 },
] as const

/** The timestamp in every sample id. */
const sampleMoment = Date.UTC(2026, 0, 1)

/** A UUIDv7 derived from a name, so that a sample record has the same id in every demonstration. */
export function sampleId(name: string): string {
  return v7({ msecs: sampleMoment, random: createHash('sha256').update(name).digest().subarray(0, 16) })
}

/** Loads the sample's plans. */
export async function loadPlans(tx: Tx, now: Date): Promise<void> {
  await tx
    .insertInto('app.plan_versions')
    .values(
      samplePlans.map((plan, position) => ({
        id: newId(now),
        plan_id: sampleId(`plan ${plan.name}`),
        version: 1,
        current: true,
        position,
        name: plan.name,
        percentage_bp: plan.bp,
        minimum_cents: plan.from * 100n,
        maximum_cents: plan.to === null ? null : plan.to * 100n,
        duration: plan.duration,
        duration_days: plan.days,
        note: plan.name === 'Elite' ? '5 days active' : null,
        created_at: now,
      })),
    )
    .execute()
}
