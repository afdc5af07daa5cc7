import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as call from '#shared/contract/deposits.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** `MONEY_RUNS=500` looks longer. */
const numRuns = Number(process.env.MONEY_RUNS ?? 25)

/** What a network and its people do; `which` is taken modulo what is there. */
type Step =
  | { do: 'ask'; dollars: number }
  | { do: 'pay'; which: number; dollars: number }
  | { do: 'mine'; blocks: number }
  | { do: 'reorg'; depth: number; drop: boolean }
  | { do: 'drop'; which: number }
  | { do: 'look'; watchers: number }
  | { do: 'away' }
  | { do: 'approve'; which: number; dollars: number }
  | { do: 'credit'; which: number }
  | { do: 'withdraw'; dollars: number }
  | { do: 'pass'; minutes: number }

const which = fc.nat({ max: 5 })
const dollars = fc.integer({ min: 100, max: 400 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), dollars }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pay' as const), which, dollars }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      drop: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), which }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('look' as const), watchers: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('away' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('approve' as const), which, dollars }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('credit' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), dollars }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 800 }) }),
  },
)

type Asked = { id: string; address: string; cents: bigint }
/** What the test knows by itself: what was asked for, what was sent, and what somebody has credited by his word. */
type Model = {
  deposits: Asked[]
  sent: { id: string; address: string; cents: bigint }[]
  byHand: Map<string, bigint>
}

const units = (cents: bigint) => cents * 10_000n

test('[B-03] whatever a network does, and whoever acts meanwhile: each payment is credited once, and as it came', async () => {
  const world = await openWatchedWorld('usdt', { horizon: 40 })
  let credited = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
      world.network.mine(45)
      await world.look()
      const investor = await world.person('Ines Investor')
      const model: Model = { deposits: [], sent: [], byHand: new Map() }
      await play(world, investor, model, { do: 'ask', dollars: 150 })
      for (const one of steps) await play(world, investor, model, one)
      // In the end every network comes to rest.
      world.network.mine(8)
      await world.look()
      await world.look()
      credited += await compare(world, investor, model)
    }),
    { numRuns, endOnFailure: true },
  )
  expect(credited).toBeGreaterThan(0)
  await world.expectSoundBooks()
}, 600_000)

async function play(world: WatchedWorld, investor: Person, model: Model, step: Step): Promise<void> {
  const { network } = world
  const deposit = 'which' in step ? model.deposits[step.which % model.deposits.length] : undefined
  switch (step.do) {
    case 'ask': {
      const { _id, payment } = await world.ask(investor, step.dollars)
      model.deposits.push({ id: _id, address: payment.address, cents: BigInt(step.dollars) * 100n })
      return
    }
    case 'pay': {
      const cents = BigInt(step.dollars) * 100n
      const id = network.send({ to: deposit!.address, units: units(cents) })
      model.sent.push({ id, address: deposit!.address, cents })
      return
    }
    case 'mine':
      return network.mine(step.blocks)
    case 'reorg': {
      const drop = step.drop ? [model.sent.at(-1)?.id ?? ''] : []
      return network.reorg(step.depth, { drop })
    }
    case 'drop': {
      const one = model.sent[step.which % (model.sent.length || 1)]
      return network.drop(one?.id ?? '')
    }
    case 'look':
      await Promise.all(Array.from({ length: step.watchers }, () => world.look()))
      return
    case 'away':
      network.setAway(true)
      await world.look().catch(() => {})
      return network.setAway(false)
    case 'approve': {
      const cents = BigInt(step.dollars) * 100n
      const body = { received: `${step.dollars}` }
      const params = { id: deposit!.id }
      const { status } = await world.call(call.approveDeposit, world.admin, { params, body })
      if (status === 200) model.byHand.set(deposit!.id, cents)
      return
    }
    case 'credit':
      await world.call(call.creditOwnDeposit, investor, { params: { id: deposit!.id } })
      return
    case 'withdraw': {
      const body = { amount: step.dollars, wallet: 'Bitcoin (BTC)', address } as const
      await world.call(newWithdrawal, investor, { body })
      return
    }
    case 'pass':
      return world.clock.pass({ minutes: step.minutes })
  }
}
const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'

/** @returns how many deposits were credited */
async function compare(world: WatchedWorld, investor: Person, model: Model): Promise<number> {
  let [sum, received, owed, count] = [0n, 0n, 0n, 0]
  for (const { id, address, cents } of model.deposits) {
    const confirmed = model.sent
      .filter(sent => sent.address === address && world.network.isMined(sent.id))
      .reduce((total, sent) => total + sent.cents, 0n)
    const row = await world.database.db
      .selectFrom('app.deposits')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    owed += row.shortfall_cents
    const byHand = model.byHand.get(id) ?? 0n
    if (row.status === 'paid') {
      const came = confirmed > byHand ? confirmed : byHand
      expect(row.credited_cents).toBe(came)
      expect(row.received_units).toBe(units(came))
      expect(row.open_units).toBe(0n)
      sum += came
      received += units(came)
      count += 1
      continue
    }
    // It waits for the rest, or for all of it.
    expect(byHand).toBe(0n)
    expect(confirmed).toBeLessThan(cents)
    expect(row.open_units).toBe(units(confirmed))
    if (confirmed > 0n) expect(row.watch_until.getTime()).toBeGreaterThan(world.clock.now().getTime())
  }
  const { available, held } = await world.balances(investor)
  expect(available + held).toBe(sum + owed)
  expect(await booked(world, model, 'custody')).toBe(-received)
  expect(await booked(world, model, 'shortfall')).toBe(-owed)
  return count
}

/** What the books say of these deposits on one of the firm's accounts. */
async function booked(
  world: WatchedWorld,
  { deposits }: Model,
  kind: 'custody' | 'shortfall',
): Promise<bigint> {
  const { rows } = await world.database.owner.query(
    `SELECT coalesce(sum(e.amount), 0)::text AS amount
       FROM ledger.transactions t
       JOIN ledger.entries e ON e.transaction_id = t.id
       JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = $1
      WHERE t.reference_id = ANY ($2)`,
    [kind, deposits.map(({ id }) => id)],
  )
  return BigInt(rows[0].amount)
}
