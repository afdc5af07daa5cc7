import { beforeAll, expect, test } from 'vitest'
import { statement } from '#shared/contract/ledger.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
  await world.fund(investor, 50_000n)
  const body = {
    amount: 120,
    wallet: 'Bitcoin (BTC)',
    walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  } as const
  await world.call(newWithdrawal, investor, { body })
})

test('[B-03] the statement has every posting in words, with its running balance', async () => {
  const { data, page } = await world.call(statement, investor)
  expect(data.map(line => [line.description, line.account, line.amount, line.balance])).toEqual([
    ['Held for a withdrawal', 'held', 120, 120],
    ['Held for a withdrawal', 'available', -120, 380],
    ['Deposit received', 'available', 500, 500],
  ])
  expect(page).toEqual({ nextCursor: null, total: 3 })
})

test('[B-03] it can be narrowed to one account', async () => {
  const { data } = await world.call(statement, investor, { query: { status: 'held' } })
  expect(data.map(line => line.amount)).toEqual([120])
  expect(await world.call(statement, investor, { query: { status: 'secret' } })).toMatchObject({
    status: 400,
  })
})

test("[B-03] an admin may name a user; an investor sees nobody else's", async () => {
  const query = { userId: investor.id }
  expect((await world.call(statement, world.admin, { query })).data).toHaveLength(3)
  expect((await world.call(statement, investor, { query })).data).toHaveLength(3)
  const other = await world.person('Other')
  expect(await world.call(statement, other, { query })).toMatchObject({ status: 403, code: 'forbidden' })
  expect((await world.call(statement, other)).data).toEqual([])
})
