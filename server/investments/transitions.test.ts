import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { echo, summary } from '#shared/contract/accounts.ts'
import * as depositCall from '#shared/contract/deposits.ts'
import * as call from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
})

type Method = 'bitcoin' | 'usdt' | 'balance'
const invest = (amount = 500, method: Method = 'balance', plan = 'Basic', quote?: string) =>
  world.call(call.newInvestment, investor, { body: { method, plan, amount, quote } })
const approve = (id: string, admin = world.admin) =>
  world.call(call.approveInvestment, admin, { params: { id } })
const close = (id: string, admin = world.admin) =>
  world.call(call.closeInvestment, admin, { params: { id }, body: { reason: 'Closed early' } })
const decline = (id: string, admin = world.admin) =>
  world.call(call.declineInvestment, admin, { params: { id }, body: { reason: 'Not this month' } })
const approveDeposit = (id: string, admin = world.admin) =>
  world.call(depositCall.approveDeposit, admin, { params: { id } })
const declineDeposit = (id: string, admin = world.admin) =>
  world.call(depositCall.declineDeposit, admin, { params: { id }, body: { reason: 'It bounced' } })
const detail = (id: string, who = world.admin) => world.call(call.getInvestment, who, { params: { id } })
const balances = () => world.balances(investor)

describe('approving', () => {
  test('[C-10] locks held money in the plan, which ends after its duration', async () => {
    await world.fund(investor, 50_000n)
    const { data } = await invest(500)
    const approved = await approve(data._id)
    expect(approved.message).toBe('Investment approved')
    expect(approved.data.status).toBe('active')
    const days = (Date.parse(approved.data.endingDate!) - Date.parse(approved.data.approvedAt!)) / 86_400_000
    expect(days).toBe(30)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 50_000n })
  })

  test.each([
    ['Elite', 20_000, 5],
    ['Deluxe', 50_000, 150],
  ])('[C-10, D4] an investment in %s of $%i ends after %i days', async (plan, amount, days) => {
    const { data } = await invest(amount, 'usdt', plan)
    const { data: active } = await approve(data._id)
    const lasts = Date.parse(active.endingDate!) - Date.parse(active.approvedAt!)
    expect(lasts / 86_400_000).toBe(days)
  })

  test('[C-10, D6] in crypto settles the payment and locks it in one transaction', async () => {
    const { data } = await invest(500, 'bitcoin')
    await approve(data._id)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 50_000n })
    const { data: shown } = await detail(data._id, investor)
    expect(shown.deposit).toMatchObject({
      status: 'paid',
      label: `Paid in full and invested with ${data.invoiceId}.`,
    })
    expect(shown.entries.map(({ account, amount }) => [account, amount])).toEqual([
      ['available', 500],
      ['available', -500],
      ['invested', 500],
    ])
  })

  test('[C-10, D6] a payment approved first is kept for its investment, and settled once', async () => {
    const { data } = await invest(500, 'usdt')
    const paid = await approveDeposit(data.deposit!._id)
    expect(paid.data).toMatchObject({ status: 'paid', label: `Paid in full and kept for ${data.invoiceId}.` })
    expect(await balances()).toEqual({ available: 0n, held: 50_000n, invested: 0n })
    await approve(data._id)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 50_000n })
    expect(await approveDeposit(data.deposit!._id)).toMatchObject({ status: 409, code: 'wrong_state' })
  })

  test('[C-10, S-04] payment and investment approved at once settle once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { data } = await invest(500, 'usdt')
      const before = await balances()
      await Promise.all([
        approve(data._id),
        approveDeposit(data.deposit!._id, world.secondAdmin),
        approve(data._id, world.secondAdmin),
      ])
      const after = await balances()
      expect(after).toEqual({ available: 0n, held: 0n, invested: before.invested + 50_000n })
    }
  })

  test('[C-10] admins cannot approve their own investment', async () => {
    await world.fund(world.admin, 50_000n, world.secondAdmin)
    const own = await world.call(call.newInvestment, world.admin, {
      body: { method: 'balance', plan: 'Basic', amount: 500 },
    })
    const before = await world.state()
    expect(await approve(own.data._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world.state()).toBe(before)
  })

  test('[C-10, B-03] of 50 parallel approvals one locks the money', async () => {
    const { data } = await invest(500, 'usdt')
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(data._id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'wrong_state')).toHaveLength(49)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 50_000n })
  })
})

describe('closing', () => {
  test('[C-11] returns the principal to the available balance', async () => {
    const { data } = await invest(500, 'usdt')
    await approve(data._id)
    const closed = await close(data._id)
    expect(closed.message).toBe('Investment closed')
    expect(closed.data.status).toBe('inactive')
    expect(closed.data.closedAt).not.toBeNull()
    expect(await balances()).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  })

  test('[C-11] of 50 parallel closings one returns the principal', async () => {
    const { data } = await invest(500, 'usdt')
    await approve(data._id)
    const answers = await Promise.all(Array.from({ length: 50 }, () => close(data._id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(await balances()).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  })

  test('[C-11, D7] admins cannot close their own investment', async () => {
    await world.fund(world.admin, 50_000n, world.secondAdmin)
    const own = await world.call(call.newInvestment, world.admin, {
      body: { method: 'balance', plan: 'Basic', amount: 500 },
    })
    expect((await approve(own.data._id, world.secondAdmin)).status).toBe(200)
    const before = await world.state()
    expect(await close(own.data._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world.state()).toBe(before)
  })

  test('[C-11, D6] shows its reason to the investor everywhere', async () => {
    const { data } = await invest(500, 'usdt')
    await approve(data._id)
    const reason = 'The fund behind it was wound up'
    const closed = await world.call(call.closeInvestment, world.admin, {
      params: { id: data._id },
      body: { reason },
    })
    expect(closed.data).toMatchObject({ status: 'inactive', closeReason: reason, declineReason: null })
    const { data: shown } = await detail(data._id, investor)
    expect(shown.history.at(-1)).toMatchObject({ action: 'Investment closed', reason })
    expect(shown.entries.filter(line => line.event === 'investment.closed').map(line => line.note)).toEqual([
      reason,
      reason,
    ])
    const { data: notifications } = await world.call(listNotifications, investor, { query: { limit: 1 } })
    expect(notifications[0]).toMatchObject({ kind: 'investment.closed' })
    expect(notifications[0]?.details).toContain(`Reason: ${reason}`)
  })
})

describe('declining', () => {
  test('[C-10, D6] releases held money, and the investor reads the reason', async () => {
    await world.fund(investor, 50_000n)
    const { data } = await invest(500)
    const declined = await decline(data._id)
    expect(declined.data).toMatchObject({ status: 'declined', declineReason: 'Not this month' })
    expect(await balances()).toEqual({ available: 50_000n, held: 0n, invested: 0n })
    expect((await detail(data._id, investor)).data.declineReason).toBe('Not this month')
  })

  test('[D6] moves a received payment to the available balance', async () => {
    const { data } = await invest(500, 'usdt')
    await approveDeposit(data.deposit!._id)
    await decline(data._id)
    expect(await balances()).toEqual({ available: 50_000n, held: 0n, invested: 0n })
    const label = `Paid in full. ${data.invoiceId} was declined, so the money was added to the balance.`
    expect((await detail(data._id)).data.deposit).toMatchObject({ status: 'paid', label })
  })

  test('[D6] declines a payment that has not arrived', async () => {
    const { data } = await invest(500, 'usdt')
    await decline(data._id)
    expect((await detail(data._id)).data.deposit).toMatchObject({
      status: 'declined',
      declineReason: 'Not this month',
    })
    expect(await approveDeposit(data.deposit!._id)).toMatchObject({ status: 409, code: 'wrong_state' })
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  })

  test('[D6] of the payment declines the investment', async () => {
    const { data } = await invest(500, 'usdt')
    await declineDeposit(data.deposit!._id)
    expect((await detail(data._id)).data).toMatchObject({ status: 'declined', declineReason: 'It bounced' })
    expect(await approve(data._id)).toMatchObject({ status: 409, code: 'wrong_state' })
  })

  test('[S-04] concurrently with approving, one wins, for every method of payment', async () => {
    for (const method of ['balance', 'usdt', 'balance', 'usdt', 'usdt', 'balance'] as const) {
      const someone = await world.person('Racer')
      await world.fund(someone, 50_000n)
      const body = { method, plan: 'Basic', amount: 500 }
      const { data } = await world.call(call.newInvestment, someone, { body })
      const [yes, no] = await Promise.all([approve(data._id), decline(data._id, world.secondAdmin)])
      expect([yes.status, no.status].toSorted()).toEqual([200, 409])
      const { available, held, invested } = await world.balances(someone)
      const paid = method === 'usdt' && yes.status === 200 ? 50_000n : 0n
      expect(held).toBe(0n)
      expect(available + invested).toBe(50_000n + paid)
      expect(invested).toBe(yes.status === 200 ? 50_000n : 0n)
    }
  })

  test('[S-04] concurrently with approving its payment loses no money', async () => {
    for (let round = 0; round < 10; round += 1) {
      const someone = await world.person('Racer')
      const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
      const { data } = await world.call(call.newInvestment, someone, { body })
      const [, paid] = await Promise.all([
        decline(data._id),
        approveDeposit(data.deposit!._id, world.secondAdmin),
      ])
      const { available, held } = await world.balances(someone)
      expect(held).toBe(0n)
      expect(available).toBe(paid.status === 200 ? 50_000n : 0n)
    }
  })
})

describe('refused transitions', () => {
  const reach = {
    active: async () => {
      const { data } = await invest(500, 'usdt')
      await approve(data._id)
      return data._id
    },
    inactive: async () => {
      const id = await reach.active()
      await close(id)
      return id
    },
    declined: async () => {
      const { data } = await invest(500, 'usdt')
      await decline(data._id)
      return data._id
    },
    pending: async () => (await invest(500, 'usdt')).data._id,
  }

  test.each([
    ['active', 'This investment is already active. Only pending investments can be approved.', approve],
    ['inactive', 'This investment is already inactive. Only pending investments can be approved.', approve],
    ['declined', 'This investment is already declined. Only pending investments can be approved.', approve],
    ['active', 'This investment is already active. Only pending investments can be declined.', decline],
    ['inactive', 'This investment is already inactive. Only pending investments can be declined.', decline],
    ['declined', 'This investment is already declined. Only pending investments can be declined.', decline],
    ['pending', 'This investment is still pending. Only active investments can be closed.', close],
    ['inactive', 'This investment is already inactive. Only active investments can be closed.', close],
    ['declined', 'This investment is already declined. Only active investments can be closed.', close],
  ] as const)('[S-04] from %s nothing changes: "%s"', async (status, message, act) => {
    const id = await reach[status]()
    const before = await world.state()
    expect(await act(id)).toMatchObject({ status: 409, code: 'wrong_state', message })
    expect(await world.state()).toBe(before)
  })
})

test('[D-02, D-07] totals count approved and pending investments apart, declined ones never', async () => {
  await world.fund(investor, 200_000n)
  const [active, closed, declined] = [await invest(500), await invest(300), await invest(200)]
  for (const { data } of [active, closed]) await approve(data._id)
  await close(closed.data._id)
  await decline(declined.data._id)
  await invest(150)
  // Requested and never paid.
  await invest(250, 'bitcoin')
  const { investments } = (await world.call(summary, investor)).data
  expect(investments).toEqual({ total: 800, active: 500, closed: 300, pending: 400 })
  const overview = await world.call(echo, investor, { query: { email: investor.email } })
  expect(overview.data.investments.total).toBe(800)
})

describe('the ending date', () => {
  /** The world of the other tests, whose clock these leave alone. */
  let shared: World
  beforeEach(async () => {
    shared = world
    world = await openWorld()
    investor = await world.person('Ines Investor')
  })
  afterEach(() => {
    world = shared
  })

  test('[C-11, D6] needs a reason before the ending date', async () => {
    const { data } = await invest(500, 'usdt')
    await approve(data._id)
    const params = { id: data._id }
    const words = 'Enter a reason for closing before the ending date. The investor will read it.'
    const before = await world.state()
    const refused = await world.call(call.closeInvestment, world.admin, { params })
    expect(refused).toMatchObject({ status: 400, code: 'invalid_input', fields: { reason: words } })
    expect(refused.message).toBe(words)
    expect(await world.state()).toBe(before)
    world.clock.pass({ days: 30 })
    expect((await world.call(call.closeInvestment, world.admin, { params })).status).toBe(200)
  })

  test('[C-20, D6] an investment past its ending date is matured until it is closed', async () => {
    const { data } = await invest(500, 'usdt')
    await approve(data._id)
    expect((await detail(data._id)).data.matured).toBe(false)
    world.clock.pass({ days: 30 })
    expect((await detail(data._id)).data.matured).toBe(true)
    const due = await world.call(call.listInvestments, world.admin, { query: { status: 'matured' } })
    expect(due.data.map(investment => investment._id)).toEqual([data._id])
    await close(data._id)
    expect((await detail(data._id)).data.matured).toBe(false)
  })
})
