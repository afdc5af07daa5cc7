import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '#server/platform/logger.ts'
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

const ask = (who = investor) => world.call(newDeposit, who, { body: { method: 'usdt', amount: 100 } })
const own = async () => (await world.call(listOwnDeposits, investor)).data
const approve = (id: string) => world.call(approveDeposit, world.admin, { params: { id } })

test('[C-07, D5] a deposit is unpaid after 24 hours of monitoring', async () => {
  await ask()
  world.clock.pass({ minutes: 15 })
  expect((await own())[0]?.label).toBe(
    'This quote has expired. Already paid? We will still credit it. Not paid yet? Start a new deposit.',
  )
  world.clock.pass({ minutes: 24 * 60 - 1 })
  expect(await expireDeposits(world.services)).toBe(0)
  world.clock.pass({ minutes: 1 })
  expect(await expireDeposits(world.services)).toBe(1)
  expect((await own())[0]).toMatchObject({
    status: 'unpaid',
    label: 'No payment arrived in time. Late payments are still credited. To pay now, start a new deposit.',
  })
  expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 0n })
})

test('[D5, D6] an investment with an unpaid deposit is declined, with the reason', async () => {
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, investor, { body })
  world.clock.pass({ days: 2 })
  await expireDeposits(world.services)
  const { data: shown } = await world.call(getInvestment, investor, { params: { id: data._id } })
  expect(shown).toMatchObject({ status: 'declined', declineReason: 'No payment arrived in time' })
  expect(shown.deposit?.status).toBe('unpaid')
  expect(shown.history.at(-1)).toMatchObject({ action: 'Investment declined', actor: 'Automatic' })
  const asked = { params: { id: data._id } }
  const { data: german } = await world.call(getInvestment, investor, asked, { language: 'de' })
  const reason = 'Es ist nicht rechtzeitig eine Zahlung eingegangen'
  expect(german.declineReason).toBe(reason)
  expect(german.history.at(-1)?.reason).toBe(reason)
})

test('[S-04] a paid deposit does not expire', async () => {
  const paid = await ask()
  await approve(paid.data._id)
  world.clock.pass({ days: 2 })
  const before = await world.state()
  expect(await expireDeposits(world.services)).toBe(0)
  expect(await world.state()).toBe(before)
})

test('[C-14, D5] a payment found after its deposit expired is credited once', async () => {
  const late = await ask()
  world.clock.pass({ days: 2 })
  await expireDeposits(world.services)
  expect(await approve(late.data._id)).toMatchObject({
    status: 200,
    data: { status: 'paid', label: 'Paid in full and added to the balance.' },
  })
  expect(await approve(late.data._id)).toMatchObject({ status: 409, code: 'wrong_state' })
  expect((await world.balances(investor)).available).toBe(10_000n)
})

test('[C-14, D5, D6] a payment for a declined investment goes to the balance', async () => {
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, investor, { body })
  world.clock.pass({ days: 2 })
  await expireDeposits(world.services)
  const answer = await approve(data.deposit!._id)
  expect(answer.data.label).toBe(
    `Paid in full. ${data.invoiceId} was declined, so the money was added to the balance.`,
  )
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  const { data: shown } = await world.call(getInvestment, investor, { params: { id: data._id } })
  expect(shown.status).toBe('declined')
})

test('[S-04, B-03] concurrent expiry and approval change each deposit once', async () => {
  const ids = []
  for (let n = 0; n < 10; n += 1) ids.push((await ask()).data._id)
  world.clock.pass({ days: 2 })
  const [first, second, ...answers] = await Promise.all([
    expireDeposits(world.services),
    expireDeposits(world.services),
    ...ids.map(approve),
  ])
  expect(first + second).toBeLessThanOrEqual(10)
  expect(answers.map(answer => answer.status)).toEqual(ids.map(() => 200))
  expect((await own()).map(deposit => deposit.status)).toEqual(ids.map(() => 'paid'))
  expect((await world.balances(investor)).available).toBe(100_000n)
})

test('[C-07] a deposit that fails is logged and retried; the others expire', async () => {
  const ids: string[] = []
  let who = investor
  for (let n = 0; n < 202; n += 1) {
    if (n % 10 === 0) who = await world.person(`Investor ${n}`)
    ids.push((await ask(who)).data._id)
  }
  world.clock.pass({ days: 2 })
  const failing = ids.slice(0, 101)
  await world.owner(`
    CREATE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
    CREATE TRIGGER failing BEFORE UPDATE ON app.deposits FOR EACH ROW
      WHEN (OLD.id <= '${failing.at(-1)}') EXECUTE FUNCTION app.fail()`)
  const lines: string[] = []
  const log = createLogger('error', { write: line => void lines.push(line) })
  expect(await expireDeposits({ ...world.services, log })).toBe(101)
  expect(lines.map(line => JSON.parse(line).deposit)).toEqual(failing)
  await world.owner('DROP TRIGGER failing ON app.deposits')
  expect(await expireDeposits(world.services)).toBe(101)
})
