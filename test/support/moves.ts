import fc from 'fast-check'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import * as events from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'

/** One investor's open holds. */
export type Hold = { id: string; amountCents: bigint; purpose: 'withdrawal' | 'investment' }
/** Posts one event, if its money or hold exists. */
export type Act = { pick: number; cents: bigint; fold: boolean }

export const act: fc.Arbitrary<Act> = fc.record({
  pick: fc.nat(9),
  cents: fc.bigInt(1n, 900_000n),
  fold: fc.nat(49).map(n => n === 0),
})

/** Posts one event on a user's accounts, if its money or hold exists. */
export async function move(
  db: Kysely<Schema>,
  userId: string,
  holds: Hold[],
  { pick, cents }: Pick<Act, 'pick' | 'cents'>,
): Promise<void> {
  const id = uuidv7()
  const of = { userId, actor: null, amountCents: cents }
  const payment = { asset: 'USDT', receivedUnits: cents * 10_000n } as const
  const place = async (purpose: Hold['purpose']) => {
    const posting =
      purpose === 'withdrawal'
        ? events.withdrawalRequested({ ...of, withdrawalId: id })
        : events.investmentRequested({ ...of, investmentId: id })
    holds.push({ id: await post(db, posting), amountCents: cents, purpose })
  }
  const resolve = async (purpose: Hold['purpose'], last: boolean) => {
    const hold = holds.find(open => open.purpose === purpose)
    if (!hold) return
    const about = { ...of, amountCents: hold.amountCents, holdId: hold.id }
    if (purpose === 'withdrawal') {
      const resolved = { ...about, withdrawalId: id }
      await post(db, last ? events.withdrawalPaid(resolved) : events.withdrawalDeclined(resolved))
    } else {
      const resolved = { ...about, investmentId: id }
      await post(db, last ? events.investmentApproved(resolved) : events.investmentDeclined(resolved))
    }
    holds.splice(holds.indexOf(hold), 1)
  }
  const acts: (() => Promise<unknown>)[] = [
    () => post(db, events.depositSettled({ ...of, depositId: id, payment })),
    () =>
      post(db, events.investmentFunded({ ...of, investmentId: id, payment, investedCents: cents / 2n + 1n })),
    () => post(db, events.earningPaid({ ...of, earningId: id })),
    () => place('withdrawal'),
    () => place('investment'),
    () => resolve('withdrawal', true),
    () => resolve('withdrawal', false),
    () => resolve('investment', true),
    () => resolve('investment', false),
    () => post(db, events.investmentClosed({ ...of, investmentId: id })),
  ]
  await acts[pick]!().catch((error: { code?: string }) => {
    if (error.code !== 'insufficient_funds') throw error
  })
}
