import { beforeEach, expect, test } from 'vitest'
import { approveDeposit, listOwnDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

let world: World
let investor: Person
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
})

const ask = () => world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
const own = async () => (await world.call(listOwnDeposits, investor)).data
const approve = (id: string) => world.call(approveDeposit, world.admin, { params: { id } })

test('[C-07, D5] an address is watched for 24 hours after the window; then the deposit is unpaid', async () => {
  await ask()
  world.clock.pass({ minutes: 15 })
  expect((await own())[0]?.label).toBe(
    'The 15 minutes have passed. A payment that arrives late is credited at the rate of its arrival.',
  )
  world.clock.pass({ minutes: 24 * 60 - 1 })
  expect(await expireDeposits(world.services)).toBe(0)
  world.clock.pass({ minutes: 1 })
  expect(await expireDeposits(world.services)).toBe(1)
  expect((await own())[0]).toMatchObject({
    status: 'unpaid',
    label: 'No payment arrived in time. Nothing was charged.',
  })
  expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
})

test('[D5, D6] an investment that was to be paid by it is declined, with the reason', async () => {
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, investor, { body })
  world.clock.pass({ days: 2 })
  await expireDeposits(world.services)
  const { data: shown } = await world.call(getInvestment, investor, { params: { id: data._id } })
  expect(shown).toMatchObject({ status: 'declined', declineReason: 'No payment arrived in time' })
  expect(shown.deposit?.status).toBe('unpaid')
  expect(shown.history.at(-1)).toMatchObject({ action: 'Investment declined', actor: 'Automatic' })
})

test('[S-04] a paid deposit does not expire, and an unpaid one is not approved', async () => {
  const [paid, late] = [await ask(), await ask()]
  await approve(paid.data._id)
  world.clock.pass({ days: 2 })
  expect(await expireDeposits(world.services)).toBe(1)
  expect((await own()).map(deposit => deposit.status)).toEqual(['unpaid', 'paid'])
  const before = await world.state()
  expect(await approve(late.data._id)).toMatchObject({
    status: 409,
    message: 'This deposit is already unpaid. Only pending deposits can be approved.',
  })
  expect(await world.state()).toBe(before)
})

test('[S-04] of expiry, twice, and approval at the same time one wins for each deposit', async () => {
  const ids = []
  for (let n = 0; n < 20; n += 1) ids.push((await ask()).data._id)
  world.clock.pass({ days: 2 })
  const [first, second, ...answers] = await Promise.all([
    expireDeposits(world.services),
    expireDeposits(world.services),
    ...ids.map(approve),
  ])
  const approved = answers.filter(answer => answer.status === 200).length
  expect(first + second + approved).toBe(20)
  expect((await world.balances(investor)).available).toBe(BigInt(approved) * 10_000n)
})

test('[C-07] more than one batch expires in one run', async () => {
  await Promise.all(Array.from({ length: 101 }, ask))
  world.clock.pass({ days: 2 })
  expect(await expireDeposits(world.services)).toBe(101)
})
