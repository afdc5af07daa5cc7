import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import * as console from '#shared/contract/console.ts'
import * as deposits from '#shared/contract/deposits.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import * as investments from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import * as withdrawals from '#shared/contract/withdrawals.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** `MONEY_RUNS=500` runs longer. A failure names its seed and steps. */
const runs = (few: number) => Number(process.env.MONEY_RUNS ?? few)

/** The state of one run, and what the test itself tracks: payments sent and manual credits. */
type Scene = {
  world: WatchedWorld
  rail: 'usdt' | 'bitcoin'
  investor: Person
  deposits: { id: string; address: string; units: bigint; cents: bigint }[]
  investments: string[]
  withdrawals: string[]
  sent: { id: string; address: string; cents: bigint }[]
  byHand: Map<string, bigint>
  /** Unexpected failures. */
  failed: unknown[]
}

/** `which` is taken modulo the records; a request has its own idempotency key, or none. */
type Step = { act: Act; which: number; dollars: number; few: number; keyed: boolean; withNext: boolean }

const cents = ({ dollars }: Step) => BigInt(dollars) * 100n
const reason = { reason: 'Asked for' }
const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'

function one<T>(of: readonly T[], { which }: Step): T | undefined {
  return of[which % (of.length || 1)]
}

let keys = 0
function keyOf({ keyed }: Step): { idempotencyKey?: string } {
  if (!keyed) return {}
  keys += 1
  return { idempotencyKey: `step-${keys}` }
}

/** Any request may be refused; none may fail, except for a missing rate. */
async function answered<Answer extends { status: number; code?: string; message: string }>(
  { failed }: Scene,
  step: Step,
  request: Promise<Answer>,
): Promise<Answer> {
  const answer = await request
  const { status, code, message } = answer
  if (status >= 500 && code !== 'rate_unavailable') failed.push({ step, status, message })
  return answer
}

/** Someone's request about one of the records. */
const about =
  (
    of: 'deposits' | 'investments' | 'withdrawals',
    ask: (scene: Scene, id: string, step: Step) => Promise<Reply>,
  ) =>
  async (scene: Scene, step: Step) => {
    const record = one<string | { id: string }>(scene[of], step)
    if (record === undefined) return
    const id = typeof record === 'string' ? record : record.id
    await answered(scene, step, ask(scene, id, step))
  }
type Reply = { status: number; code?: string; message: string }

const unitsOf = (amountCrypto: string) => BigInt(amountCrypto.replace('.', ''))

/** Actions of networks and people. */
const acts = {
  async ask(scene: Scene, step: Step) {
    const { world, investor, rail } = scene
    const body = { method: rail, amount: step.dollars }
    const asked = world.call(deposits.newDeposit, investor, { body }, keyOf(step))
    const { status, data } = await answered(scene, step, asked)
    if (status !== 200) return
    const { amountCrypto, address: to } = data.payment
    scene.deposits.push({ id: data._id, address: to, units: unitsOf(amountCrypto), cents: cents(step) })
  },
  async invest(scene: Scene, step: Step) {
    const { world, investor, rail } = scene
    const body = { method: rail, plan: 'Beginner', amount: step.dollars + 400 }
    const asked = world.call(investments.newInvestment, investor, { body }, keyOf(step))
    const { status, data } = await answered(scene, step, asked)
    if (status !== 200) return
    const { _id: id, payment } = data.deposit!
    scene.investments.push(data._id)
    scene.deposits.push({
      id,
      address: payment.address,
      units: unitsOf(payment.amountCrypto),
      cents: BigInt(body.amount) * 100n,
    })
  },
  async investBalance(scene: Scene, step: Step) {
    const { world, investor } = scene
    const body = { method: 'balance', plan: 'Beginner', amount: step.dollars + 400 } as const
    const asked = world.call(investments.newInvestment, investor, { body }, keyOf(step))
    const { status, data } = await answered(scene, step, asked)
    if (status === 200) scene.investments.push(data._id)
  },
  async withdraw(scene: Scene, step: Step) {
    const { world, investor } = scene
    const body = { amount: step.dollars, wallet: 'Bitcoin (BTC)', address } as const
    const asked = world.call(withdrawals.newWithdrawal, investor, { body }, keyOf(step))
    const { status, data } = await answered(scene, step, asked)
    if (status === 200) scene.withdrawals.push(data._id)
  },
  /** Any amount of USDT. */
  async pay(scene: Scene, step: Step) {
    const to = one(scene.deposits, step)
    if (!to) return
    const id = scene.world.network.send({ to: to.address, units: cents(step) * 10_000n })
    scene.sent.push({ id, address: to.address, cents: cents(step) })
  },
  /** About the amount due: exact, more, less, dust or double. */
  async payAbout(scene: Scene, step: Step) {
    const to = one(scene.deposits, step)
    if (!to) return
    const dust = scene.rail === 'bitcoin' ? 546n : 10_000n
    const { units: due } = to
    const units = [due, due, (due * 2n) / 3n, due - 1n, due + 1n, dust, 1n, due * 2n][step.few]!
    const id = scene.world.network.send({ to: to.address, units })
    scene.sent.push({ id, address: to.address, cents: 0n })
  },
  mine: async ({ world }: Scene, { few }: Step) => world.network.mine(1 + (few % 3)),
  async reorganise({ world, sent }: Scene, step: Step) {
    const drop = step.keyed ? [one(sent, step)?.id ?? ''] : []
    world.network.reorg(1 + (step.few % 6), { drop })
  },
  drop: async ({ world, sent }: Scene, step: Step) => world.network.drop(one(sent, step)?.id ?? ''),
  sync: async ({ world }: Scene) => world.sync(),
  syncTwice: async ({ world }: Scene) => Promise.all([world.sync(), world.sync()]),
  async away({ world }: Scene) {
    world.network.setAway(true)
    await world.sync().catch(() => {})
    world.network.setAway(false)
  },
  pass: async ({ world }: Scene, { dollars }: Step) => world.clock.pass({ minutes: dollars * 2 }),
  passSome: async ({ world }: Scene, { few }: Step) =>
    world.clock.pass({ minutes: few === 7 ? 1500 : few * 3 }),
  expire: async ({ world }: Scene) => expireDeposits(world.services),
  forgetRates: async ({ world }: Scene) =>
    world.owner('DELETE FROM app.price_readings; DELETE FROM app.price_history'),
  readRates: async ({ world }: Scene) => world.refreshPrices(),
  async approve(scene: Scene, step: Step) {
    const { world, byHand } = scene
    const deposit = one(scene.deposits, step)
    if (!deposit) return
    const input = { params: { id: deposit.id }, body: { received: `${step.dollars}` } }
    const asked = world.call(deposits.approveDeposit, world.admin, input, keyOf(step))
    const { status } = await answered(scene, step, asked)
    if (status === 200) byHand.set(deposit.id, cents(step))
  },
  approveAsSeen: about('deposits', ({ world, rail }, id, step) => {
    const received = rail === 'usdt' ? `${step.dollars}` : '0.01'
    const late = { arrivedAt: world.clock.now().toISOString(), rate: '50000', rateSource: 'the desk' }
    const body = step.few % 2 ? {} : { received, ...(step.few % 4 ? {} : late) }
    return world.call(deposits.approveDeposit, world.admin, { params: { id }, body }, keyOf(step))
  }),
  creditOwn: about('deposits', ({ world, investor }, id, step) =>
    world.call(deposits.creditOwnDeposit, investor, { params: { id } }, keyOf(step)),
  ),
  credit: about('deposits', async ({ world, investor }, id, step) => {
    // Time may pass between the request and its answer, and the token expire.
    const shown = await world.call(deposits.getDeposit, investor, { params: { id } })
    if (shown.status !== 200) return shown
    const body = {
      ...(step.few % 2 ? {} : { rate: '50000', rateSource: 'the desk' }),
      ...(step.keyed && { seen: shown.data.seen }),
    }
    return world.call(deposits.creditDeposit, world.admin, { params: { id }, body }, keyOf(step))
  }),
  declineDeposit: about('deposits', ({ world }, id, step) =>
    world.call(deposits.declineDeposit, world.admin, { params: { id }, body: reason }, keyOf(step)),
  ),
  lookAt: about('deposits', ({ world }, id, step) =>
    world.call(deposits.reviewDeposit, world.admin, { params: { id } }, keyOf(step)),
  ),
  approveInvestment: about('investments', ({ world }, id, step) =>
    world.call(investments.approveInvestment, world.admin, { params: { id } }, keyOf(step)),
  ),
  declineInvestment: about('investments', ({ world }, id, step) =>
    world.call(investments.declineInvestment, world.admin, { params: { id }, body: reason }, keyOf(step)),
  ),
  closeInvestment: about('investments', ({ world }, id, step) =>
    world.call(
      investments.closeInvestment,
      world.admin,
      { params: { id }, body: { reason: 'Closed early' } },
      keyOf(step),
    ),
  ),
  approveWithdrawal: about('withdrawals', ({ world }, id, step) =>
    world.call(withdrawals.approveWithdrawal, world.admin, { params: { id } }, keyOf(step)),
  ),
  declineWithdrawal: about('withdrawals', ({ world }, id, step) => {
    const body = { ...reason, ...(step.few % 2 ? { notPaid: true } : {}) }
    return world.call(withdrawals.declineWithdrawal, world.admin, { params: { id }, body }, keyOf(step))
  }),
  payWithdrawal: about('withdrawals', ({ world }, id, step) => {
    const transactionId = id.replaceAll('-', '').padStart(64, '0')
    const body = { transactionId, ...(step.few % 2 ? { sent: true } : {}) }
    return world.call(withdrawals.payWithdrawal, world.secondAdmin, { params: { id }, body }, keyOf(step))
  }),
  async earn(scene: Scene, step: Step) {
    const { world, investor } = scene
    const input = { params: { userId: investor.id }, body: { amount: step.dollars / 10 } }
    await answered(scene, step, world.call(addEarning, world.admin, input, keyOf(step)))
  },
  async freeze(scene: Scene, step: Step) {
    const input = { params: { id: scene.investor.id }, body: reason }
    await answered(scene, step, scene.world.call(console.freezeUser, scene.world.admin, input))
  },
  async unfreeze(scene: Scene, step: Step) {
    const input = { params: { id: scene.investor.id }, body: reason }
    await answered(scene, step, scene.world.call(console.unfreezeUser, scene.world.admin, input))
  },
} satisfies Record<string, (scene: Scene, step: Step) => Promise<unknown>>
type Act = keyof typeof acts
const play = (scene: Scene, step: Step) => acts[step.act](scene, step)

/** The weight of each action, and whether some run concurrently with the next. */
function stepsOf(often: Partial<Record<Act, number>>, options: { atOnce: boolean }): fc.Arbitrary<Step> {
  const all = Object.entries(often).map(([act, weight]) => ({ weight, arbitrary: fc.constant(act as Act) }))
  return fc.record({
    act: fc.oneof(...all),
    which: fc.nat({ max: 7 }),
    dollars: fc.integer({ min: 100, max: 400 }),
    few: fc.nat({ max: 7 }),
    keyed: fc.boolean(),
    withNext: options.atOnce ? fc.boolean() : fc.constant(false),
  })
}

const someStep: Step = { act: 'ask', which: 0, dollars: 150, few: 0, keyed: false, withNext: false }

/** A fixed opening: $100 of $150 arrive, the investor credits them, and a reorg reverses them. */
const creditedByItsOwner: Step[] = [
  { ...someStep, act: 'ask' },
  { ...someStep, act: 'pay', which: 1, dollars: 100 },
  { ...someStep, act: 'mine', few: 2 },
  { ...someStep, act: 'sync' },
  { ...someStep, act: 'creditOwn', which: 1, keyed: true },
  { ...someStep, act: 'reorganise', few: 5 },
  { ...someStep, act: 'sync' },
]
/** A reorg reverses what a withdrawal holds; a smaller payment repays a part of the debt. */
const owing: Step[] = [
  { ...someStep, act: 'pay', dollars: 393 },
  { ...someStep, act: 'mine', few: 1 },
  { ...someStep, act: 'syncTwice' },
  { ...someStep, act: 'withdraw', dollars: 323 },
  { ...someStep, act: 'reorganise', few: 1, keyed: true },
  { ...someStep, act: 'syncTwice' },
  { ...someStep, act: 'drop' },
  { ...someStep, act: 'pay', dollars: 233 },
]
/** The same in any coin: two thirds of the amount due. */
const creditedByItsOwnerAbout = creditedByItsOwner.map(
  (step): Step => (step.act === 'pay' ? { ...step, act: 'payAbout', few: 2 } : step),
)

async function sceneIn(world: WatchedWorld, rail: Scene['rail']): Promise<Scene> {
  world.network.mine(65)
  await world.sync()
  const scene: Scene = {
    world,
    rail,
    investor: await world.person('Ines Investor'),
    deposits: [],
    investments: [],
    withdrawals: [],
    sent: [],
    byHand: new Map(),
    failed: [],
  }
  await play(scene, someStep)
  return scene
}

test('[B-03] each payment is credited once, whatever networks and people do', async () => {
  const world = await openWatchedWorld('usdt', { maxReorgDepth: 60 })
  const step = stepsOf(
    {
      ...{ ask: 2, pay: 5, mine: 5, reorganise: 3, drop: 1, sync: 3, syncTwice: 3, away: 1 },
      ...{ approve: 1, creditOwn: 1, withdraw: 1, pass: 1 },
    },
    { atOnce: false },
  )
  let credited = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
      const scene = await sceneIn(world, 'usdt')
      for (const each of steps) await play(scene, each)
      // Finally every network is quiet.
      world.network.mine(8)
      await world.sync()
      await world.sync()
      expect(scene.failed).toEqual([])
      credited += await compare(scene)
    }),
    { numRuns: runs(12), endOnFailure: true, examples: [[creditedByItsOwner], [owing]] },
  )
  expect(credited).toBeGreaterThan(0)
  await world.expectSoundBooks()
}, 600_000)

test.each(['usdt', 'bitcoin'] as const)(
  '[B-03, B-06] concurrent and repeated actions with %s fail nowhere and keep sound books',
  async rail => {
    const world = await openWatchedWorld(rail, { maxReorgDepth: 60 }, { rateLimit: false })
    const logged = vi.spyOn(world.services.log, 'error').mockImplementation(() => {})
    const proof = { source: 'Sale of a warehouse', evidence: 'https://registry.example/deed/1' }
    const sale = { amount: 1_000_000, realisedAt: '2026-03-01', ...proof }
    await world.call(newReturn, world.admin, { body: sale })
    const step = stepsOf(
      {
        ...{ ask: 2, invest: 1, investBalance: 1, payAbout: 4, mine: 3, reorganise: 2, drop: 1, sync: 3 },
        ...{ expire: 1, passSome: 1, forgetRates: 1, readRates: 3, freeze: 1, unfreeze: 6, earn: 1 },
        ...{ approveAsSeen: 1, creditOwn: 2, credit: 2, declineDeposit: 1, lookAt: 1, approveInvestment: 2 },
        ...{ declineInvestment: 1, closeInvestment: 1, withdraw: 2, approveWithdrawal: 2 },
        ...{ declineWithdrawal: 1, payWithdrawal: 1 },
      },
      { atOnce: true },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async steps => {
        await world.refreshPrices()
        logged.mockClear()
        const scene = await sceneIn(world, rail)
        await play(scene, { ...someStep, act: 'payAbout' })
        world.network.mine(2)
        await world.sync()
        for (let at = 0; at < steps.length; at += 1) {
          const [now, next] = [steps[at]!, steps[at + 1]]
          const together = now.withNext && next ? [now, next] : [now]
          at += together.length - 1
          await Promise.all(together.map(each => play(scene, each)))
        }
        await comeToRest(scene)
        expect(scene.failed).toEqual([])
        expect(logged.mock.calls).toEqual([])
        expect(await waitingIn(scene)).toEqual([])
      }),
      { numRuns: runs(6), endOnFailure: true, examples: [[creditedByItsOwnerAbout]] },
    )
    await world.expectSoundBooks()
  },
  600_000,
)

/** Unfreezes the account, restores rates, quiets the networks and passes all deadlines. */
async function comeToRest(scene: Scene): Promise<void> {
  const { world } = scene
  await play(scene, { ...someStep, act: 'unfreeze' })
  await world.refreshPrices()
  world.network.mine(8)
  await world.sync()
  await world.sync()
  world.clock.pass({ days: 3 })
  await world.refreshPrices()
  world.network.mine(2)
  for (let n = 0; n < 2; n += 1) {
    await world.sync()
    await expireDeposits(world.services)
  }
}

/** Decides everything open, except deposits that need a rate from staff. */
async function waitingIn({ world, investor }: Scene): Promise<unknown[]> {
  const { rows } = await world.owner(
    `SELECT id, status, uncredited_units, flags FROM app.deposits JOIN app.deposit_amounts ON deposit_id = id
      WHERE user_id = '${investor.id}' AND (status = 'pending' OR uncredited_units > 0) AND NOT 'rate_missing' = ANY (flags)`,
  )
  return rows
}

/** @returns how many deposits were credited */
async function compare(scene: Scene): Promise<number> {
  const { world, investor } = scene
  let [sum, received, owed, count] = [0n, 0n, 0n, 0]
  for (const { id, address, cents } of scene.deposits) {
    const confirmed = scene.sent
      .filter(sent => sent.address === address && world.network.isMined(sent.id))
      .reduce((total, sent) => total + sent.cents, 0n)
    const row = await world.database.db
      .selectFrom('app.deposits as d')
      .innerJoin('app.deposit_amounts as m', 'm.deposit_id', 'd.id')
      .selectAll()
      .where('d.id', '=', id)
      .executeTakeFirstOrThrow()
    owed += row.debt_cents
    const byHand = scene.byHand.get(id) ?? 0n
    if (row.status === 'paid') {
      const creditedCents = confirmed > byHand ? confirmed : byHand
      expect(row.credited_cents).toBe(creditedCents)
      expect(row.received_units).toBe(creditedCents * 10_000n)
      expect(row.uncredited_units).toBe(0n)
      sum += creditedCents
      received += creditedCents * 10_000n
      count += 1
      continue
    }
    // It still waits for some or all of its payment.
    expect(byHand).toBe(0n)
    expect(confirmed).toBeLessThan(cents)
    expect(row.uncredited_units).toBe(confirmed * 10_000n)
    if (confirmed > 0n) expect(row.watch_until.getTime()).toBeGreaterThan(world.clock.now().getTime())
  }
  const { available, held } = await world.balances(investor)
  expect(available + held).toBe(sum + owed)
  expect(await booked(scene, 'custody')).toBe(-received)
  expect(await booked(scene, 'receivable')).toBe(-owed)
  return count
}

/** The ledger's total of these deposits on one of the firm's accounts. */
async function booked({ world, deposits }: Scene, kind: 'custody' | 'receivable'): Promise<bigint> {
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
