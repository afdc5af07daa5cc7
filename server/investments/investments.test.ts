import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { samplePlans } from '#server/demo/catalogue.ts'
import * as depositCall from '#shared/contract/deposits.ts'
import * as call from '#shared/contract/investments.ts'
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
const detail = (id: string, who = world.admin) => world.call(call.getInvestment, who, { params: { id } })
const balances = () => world.balances(investor)

describe('requesting an investment', () => {
  test('[C-05] from the balance: the money is held at once', async () => {
    await world.fund(investor, 80_000n)
    const { data, message } = await invest(500)
    expect(message).toBe('Investment initiated successfully')
    expect(data).toMatchObject({
      status: 'pending',
      plan: 'Basic',
      amount: 500,
      percentage: 9,
      method: 'balance',
      after30Days: 45,
      endingDate: null,
      deposit: null,
      matured: false,
    })
    expect(data.invoiceId).toMatch(/^INV-20\d\d-\d{6}$/)
    // The answer is made before the row is written; both must say the same.
    const { deposit: _, ...investment } = data
    expect((await world.call(call.listOwnInvestments, investor)).data).toEqual([investment])
    expect(await balances()).toEqual({ available: 30_000n, held: 50_000n, invested: 0n })
  })

  test('[C-05] in crypto: a deposit with its payment request, and no money moves', async () => {
    const { data } = await invest(500, 'bitcoin')
    expect(data).toMatchObject({ status: 'pending', method: 'bitcoin' })
    expect(data.deposit).toMatchObject({ investment: data._id, amount: 500, status: 'pending' })
    expect(data.deposit?.payment.uri).toContain(data.deposit?.payment.amountCrypto)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  })

  test('[C-05, D-18] in crypto with the quote that was shown', async () => {
    const query = { method: 'bitcoin', amount: '500', plan: 'Basic' } as const
    const { data: shown } = await world.call(depositCall.quoteDeposit, investor, { query })
    await world.owner("UPDATE app.price_readings SET usd_e8 = usd_e8 * 2 WHERE symbol = 'BTC'")
    const { data } = await invest(500, 'bitcoin', 'Basic', shown.quote)
    expect(data.deposit?.payment.amountCrypto).toBe(shown.amountCrypto)
    await world.refreshPrices()
  })

  test('[B-05, C-05] above the balance is refused with the amount available', async () => {
    await world.fund(investor, 49_999n)
    const before = await world.state()
    expect(await invest(500)).toMatchObject({
      status: 409,
      code: 'insufficient_funds',
      message: 'Insufficient funds: $499.99 is available.',
    })
    expect(await world.state()).toBe(before)
  })

  test.each([
    ['Beginner', 499.99, 'Amount must be between $500 and $1,999 for the Beginner plan'],
    ['Beginner', 1999.01, 'Amount must be between $500 and $1,999 for the Beginner plan'],
    ['Deluxe', 49_999.99, 'Amount must be at least $50,000 for the Deluxe plan'],
  ] as const)('[D-13, C-05] %s refuses $%d', async (plan, amount, message) => {
    const before = await world.state()
    for (const method of ['balance', 'usdt'] as const) {
      expect(await invest(amount, method, plan)).toMatchObject({
        status: 400,
        message,
        fields: { amount: message },
      })
    }
    expect(await world.state()).toBe(before)
  })

  test("[C-05, K-01] must be within the plan's smallest and largest amount", async () => {
    for (const plan of samplePlans) {
      investor = await world.person(`Investor in ${plan.name}`)
      expect((await invest(Number(plan.from), 'usdt', plan.name)).status).toBe(200)
      if (plan.to !== null) expect((await invest(Number(plan.to), 'usdt', plan.name)).status).toBe(200)
    }
  })

  test('[C-05] finds a plan by id or by name in any case', async () => {
    const byName = await invest(500, 'usdt', 'beginner')
    expect(byName.data.plan).toBe('Beginner')
    const { rows } = await world.owner("SELECT plan_id FROM app.plan_versions WHERE name = 'Promo'")
    expect((await invest(10_000, 'usdt', rows[0].plan_id)).data.plan).toBe('Promo')
    expect(await invest(500, 'usdt', 'Nothing')).toMatchObject({ status: 404, code: 'not_found' })
    expect(await invest(500, 'usdt', rows[0].plan_id.replace(/.$/, 'x'))).toMatchObject({ status: 404 })
  })

  test.each(['balance', 'usdt'] as const)(
    '[B-06, C-05] by %s: the same key gets the first answer, even after a plan change',
    async method => {
      await world.fund(investor, 100_000n)
      const send = (amount: number) =>
        world.call(
          call.newInvestment,
          investor,
          { body: { method, plan: 'Basic', amount } },
          { idempotencyKey: `by ${method}`.replace(' ', '-') },
        )
      const answers = await Promise.all(Array.from({ length: 50 }, () => send(500)))
      const [first] = answers
      expect(first?.data).toMatchObject({
        amount: 500,
        status: 'pending',
        plan: 'Basic',
        accrued: 0,
        earned: 0,
      })
      for (const answer of answers) expect(answer.data).toEqual(first?.data)
      expect(await send(501)).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
      const { data: list } = await world.call(call.listOwnInvestments, investor)
      const { deposit: _, ...shown } = first!.data
      expect(list).toEqual([shown])
      await world.owner("UPDATE app.plan_versions SET current = false WHERE name = 'Basic'")
      const again = await send(500)
      await world.owner("UPDATE app.plan_versions SET current = true WHERE name = 'Basic'")
      expect(again.data).toEqual(first?.data)
    },
  )

  test('[D-25, C-05] requires a verified email address for every method of payment', async () => {
    await world.fund(investor, 100_000n)
    await world.owner(`UPDATE app.users SET email_verified_at = NULL WHERE id = '${investor.id}'`)
    const before = await world.state()
    for (const method of ['balance', 'usdt'] as const) {
      expect(await invest(500, method)).toMatchObject({ status: 401, code: 'email_not_verified' })
    }
    expect(await world.state()).toBe(before)
  })

  test('[B-05] of two requests for the same money one wins', async () => {
    await world.fund(investor, 50_000n)
    const answers = await Promise.all(Array.from({ length: 20 }, () => invest(500)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'insufficient_funds')).toHaveLength(19)
    expect(await balances()).toEqual({ available: 0n, held: 50_000n, invested: 0n })
  })
})

describe('reading', () => {
  test("[C-20, C-25] one's own newest first; staff see all", async () => {
    const first = await invest(500, 'usdt')
    const second = await invest(1_500, 'usdt', 'Enthusiast')
    const own = await world.call(call.listOwnInvestments, investor)
    expect(own.data.map(investment => investment._id)).toEqual([second.data._id, first.data._id])
    const all = await world.call(call.listInvestments, world.admin, { query: { limit: 2 } })
    expect(all.data.map(investment => investment.userName)).toEqual([investor.name, investor.name])
    const found = await world.call(call.listInvestments, world.admin, { query: { q: first.data.invoiceId } })
    expect(found.data).toHaveLength(1)
  })

  test('[C-27] shows its payment, postings and history; others do not find it', async () => {
    const { data } = await invest(500, 'usdt')
    await approve(data._id)
    const { data: shown } = await detail(data._id, investor)
    expect(shown.history.map(({ action, actor }) => [action, actor])).toEqual([
      ['Investment requested', investor.name],
      ['Investment approved', 'The firm'],
    ])
    expect((await detail(data._id)).data.history.map(step => step.actor)).toEqual([
      investor.name,
      'Ada Admin',
    ])
    const stranger = await world.person('Sam Stranger')
    expect(await detail(data._id, stranger)).toMatchObject({ status: 403, code: 'forbidden' })
  })

  test('[S-01, D4] keeps the plan version that it was made under', async () => {
    const { data } = await invest(500, 'usdt', 'Basic')
    await world.owner("UPDATE app.plan_versions SET current = false WHERE name = 'Basic'")
    expect((await detail(data._id)).data).toMatchObject({ plan: 'Basic', percentage: 9, after30Days: 45 })
    await world.owner("UPDATE app.plan_versions SET current = true WHERE name = 'Basic'")
  })
})
