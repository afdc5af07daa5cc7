import { beforeEach, expect, test } from 'vitest'
import { approveDeposit, listDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** How many deposits one account can request. */
let world: World
let investor: Person
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
})

const ask = (who = investor) => world.call(newDeposit, who, { body: { method: 'usdt', amount: 100 } })
const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act))

test('[D-18] of 20 deposits requested at once ten are open; the others say what to do', async () => {
  const answers = await times(20, ask)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused[0]).toMatchObject({
    status: 409,
    code: 'wrong_state',
    reason: 'too_many_open',
    message:
      'You have 10 open deposits, the most at a time. Pay one of them. If you have paid, wait until our team has checked it. Unpaid ones expire, each 24 hours after its payment window.',
  })
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const before = await world.state()
  expect(await world.call(newInvestment, investor, { body })).toMatchObject({ reason: 'too_many_open' })
  expect(await world.state()).toBe(before)
  expect((await ask(await world.person('Omar Other'))).status).toBe(200)
})

test('[D-18] a paid deposit makes room for another, up to 20 in an hour', async () => {
  for (let n = 0; n < 20; n += 1) {
    const { data } = await ask()
    await world.call(approveDeposit, world.admin, { params: { id: data._id } })
  }
  expect(await ask()).toMatchObject({
    status: 429,
    code: 'rate_limited',
    message: expect.stringContaining('You can request at most 20 deposits an hour. Please try again in'),
  })
  world.clock.pass({ minutes: 61 })
  expect((await ask()).status).toBe(200)
})

test("[N-05] one account fills no more than a fifth of the console's first page", async () => {
  await times(12, ask)
  const { data } = await world.call(listDeposits, world.admin)
  expect(data.filter(({ user }) => user === investor.id)).toHaveLength(10)
})
