import { beforeAll, beforeEach } from 'vitest'
import type { Config } from '#server/config.ts'
import * as call from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listAudit } from '#shared/contract/site.ts'
import { firmBalance } from './books.ts'
import { openWatchedWorld, type WatchedWorld } from './watched.ts'
import type { Person } from './world.ts'

/** USDT in its minor units. */
const usdt = (dollars: number) => BigInt(Math.round(dollars * 1e6))

/**
 * Payments in USDT, in one world for all tests of a file, on a network that the test controls, with their
 * notifications.
 * @param begins called before each test with the world and a new investor
 */
export function usdtPayments(
  begins: (scene: { world: WatchedWorld; investor: Person }) => void,
  changes: Partial<Config> = {},
) {
  let world: WatchedWorld
  let investor: Person
  /** The firm's accounts when its investor signed up. */
  let before: { debt: bigint; custody: bigint }
  const firm = async () => ({
    debt: await firmBalance(world.database.db, 'receivable', 'USD'),
    custody: await firmBalance(world.database.db, 'custody', 'USDT'),
  })
  beforeAll(async () => {
    world = await openWatchedWorld('usdt', {}, changes)
  })
  beforeEach(async () => {
    // Payments of earlier tests are deeper than any test's reorg.
    world.network.mine(25)
    await world.sync()
    investor = await world.person('Ines Investor')
    before = await firm()
    begins({ world, investor })
  })
  const send = (to: string, dollars: number) => world.network.send({ to, units: usdt(dollars) })
  const paid = async (amount: number, sent = amount) => {
    const deposit = await world.ask(investor, amount)
    return { ...deposit, transaction: send(deposit.payment.address, sent) }
  }
  const confirm = async (blocks = 2) => {
    world.network.mine(blocks)
    await world.sync()
  }
  return {
    usdt,
    send,
    /** Requested and sent, unconfirmed. */
    paid,
    /** Requested, sent, and synced with so many confirmations: two are enough. */
    confirmed: async (amount: number, sent = amount, blocks = 2) => {
      const deposit = await paid(amount, sent)
      await confirm(blocks)
      return deposit
    },
    /** The payment of a new investment, of which so much is sent and confirmed. */
    confirmedFor: async (plan: string, amount: number, sent: number) => {
      const { data } = await world.call(newInvestment, investor, { body: { method: 'usdt', plan, amount } })
      send(data.deposit!.payment.address, sent)
      await confirm()
      return { ...data.deposit!, investmentId: data._id }
    },
    available: async (who = investor) => (await world.balances(who)).available,
    shown: (id: string) => world.deposit(investor, id),
    /** Kinds of the investor's notifications, oldest first. */
    notices: async () =>
      (await world.call(listNotifications, investor, { query: { limit: 50 } })).data
        .map(({ kind }) => kind)
        .reverse(),
    /** The log's actions on a record, oldest first. */
    actions: async (id: string) =>
      (await world.call(listAudit, world.admin, { query: { q: id } })).data
        .map(({ action }) => action)
        .reverse(),
    review: (id: string) => world.call(call.reviewDeposit, world.admin, { params: { id } }),
    /** What the firm's accounts have received since then. */
    debt: async () => (await firm()).debt - before.debt,
    custody: async () => (await firm()).custody - before.custody,
  }
}
