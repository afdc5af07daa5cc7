import { beforeEach } from 'vitest'
import type { Config } from '#server/config.ts'
import { recordedReturns } from '#server/ledger/balances.ts'
import * as call from '#shared/contract/earnings.ts'
import { approveInvestment, closeInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import type { CallOptions } from './app.ts'
import { openWorld, type Person, type World } from './world.ts'

/** A new world before each test, with an investor, and helpers for earnings. */
export function earningsWorld(changes: Partial<Config> = {}) {
  let world: World
  let investor: Person
  beforeEach(async () => {
    world = await openWorld(changes)
    investor = await world.person('Ines Investor')
  })
  const evidence = 'https://registry.example/deed/1'
  return {
    world: () => world,
    investor: () => investor,
    record: (amount: number, source = 'Sale of a warehouse', realisedAt = '2026-03-01') =>
      world.call(newReturn, world.admin, { body: { amount, source, realisedAt, evidence } }),
    add: (body: object = {}, admin = world.admin, who = investor, options: CallOptions = {}) =>
      world.call(call.addEarning, admin, { params: { userId: who.id }, body }, options),
    approve: (id: string, admin = world.secondAdmin) =>
      world.call(call.approveEarning, admin, { params: { id } }),
    decline: (id: string, admin = world.admin, reason = 'Meant for another month') =>
      world.call(call.declineEarning, admin, { params: { id }, body: { reason } }),
    /** @returns its id */
    async activeInvestment(amount = 1_000, plan = 'Enthusiast', who = investor): Promise<string> {
      const body = { method: 'usdt', plan, amount } as const
      const { data } = await world.call(newInvestment, who, { body })
      await world.call(approveInvestment, world.admin, { params: { id: data._id } })
      return data._id
    },
    close: (id: string) =>
      world.call(closeInvestment, world.admin, { params: { id }, body: { reason: 'Closed early' } }),
    /** Cents. */
    available: async (who = investor) => (await world.balances(who)).available,
    left: async () => (await recordedReturns(world.database.db)).leftCents,
  }
}
