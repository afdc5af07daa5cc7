import { beforeAll, expect, test } from 'vitest'
import { dayAfter, localTimes } from '#server/platform/zones.ts'
import type { StatementAccount, StatementKind } from '#shared/contract/entities.ts'
import { statement, statementSummary } from '#shared/contract/ledger.ts'
import { declineWithdrawal, listOwnWithdrawals, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
  await world.fund(investor, 50_000n)
  await world.call(newWithdrawal, investor, { body: withdrawalBody })
})

const withdrawalBody = {
  amount: 120,
  wallet: 'Bitcoin (BTC)',
  walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
} as const

test('[B-03] the statement has every posting in words with its running balance', async () => {
  const { data, page } = await world.call(statement, investor)
  expect(data.map(line => [line.description, line.account, line.amount, line.balance])).toEqual([
    ['Held for a withdrawal', 'held', 120, 120],
    ['Held for a withdrawal', 'available', -120, 380],
    ['Deposit received', 'available', 500, 500],
  ])
  expect(page).toEqual({ nextCursor: null, total: 3 })
})

test('[B-03] a page ends between two transactions, unless one alone has more lines', async () => {
  const pages = async (limit: number) => {
    const sizes: number[] = []
    const found: string[] = []
    let cursor: string | undefined
    do {
      const { data, page } = await world.call(statement, investor, { query: { limit, cursor } })
      sizes.push(data.length)
      found.push(...data.map(line => line.transaction))
      cursor = page?.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(found.slice(0, 2)).toEqual([found[0], found[0]])
    expect(found[2]).not.toBe(found[0])
    return sizes
  }
  expect(await pages(1)).toEqual([1, 1, 1])
  expect(await pages(2)).toEqual([2, 1])
  const paul = await world.person('Paul Paging')
  await world.fund(paul, 50_000n)
  await world.call(newWithdrawal, paul, { body: withdrawalBody })
  await world.fund(paul, 20_000n)
  const { data } = await world.call(statement, paul, { query: { limit: 2 } })
  expect(data.map(line => line.amount)).toEqual([200])
})

test('[B-03] filters by account and by kind', async () => {
  const amounts = async (query: { account?: StatementAccount; kind?: StatementKind }) => {
    const { data, page } = await world.call(statement, investor, { query })
    expect(page).toEqual({ nextCursor: null, total: data.length })
    return data.map(line => line.amount)
  }
  expect(await amounts({ account: 'held' })).toEqual([120])
  expect(await amounts({ kind: 'withdrawal' })).toEqual([120, -120])
  expect(await amounts({ kind: 'withdrawal', account: 'available' })).toEqual([-120])
  expect(await amounts({ kind: 'earning' })).toEqual([])
  expect(await world.call(statement, investor, { query: { account: 'secret' as never } })).toMatchObject({
    status: 400,
    message: 'Account must be one of available, invested, held',
  })
})

test("a line has its record's number and the decline reason or transaction", async () => {
  const { data } = await world.call(statement, investor)
  const [withdrawal] = (await world.call(listOwnWithdrawals, investor)).data
  expect(data[0]).toMatchObject({ invoiceId: withdrawal!.invoiceId, reference: withdrawal!._id, note: null })
  expect(data[2]!.invoiceId).toMatch(/^DEP-\d{4}-\d{6}$/)
  const person = await world.person('Dora Declined')
  await world.fund(person, 50_000n)
  const asked = await world.call(newWithdrawal, person, { body: withdrawalBody })
  await world.call(declineWithdrawal, world.admin, {
    params: { id: asked.data._id },
    body: { reason: 'The address is not yours' },
  })
  const [line] = (await world.call(statement, person)).data
  expect(line).toMatchObject({ invoiceId: asked.data.invoiceId, note: 'The address is not yours' })
})

test.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Niue'])(
  'days are those of the zone %s, the last one included',
  async zone => {
    const lines = (await world.call(statement, investor)).data
    const days = lines.map(line => localTimes(zone)(new Date(line.at)).day)
    const day = days[0]!
    const total = async (query: { from?: string; to?: string }) =>
      (await world.call(statement, investor, { query: { ...query, zone } })).page?.total
    // All of it is on one day unless the world was created around midnight.
    const onDay = days.filter(of => of === day).length
    expect(await total({ from: day, to: day })).toBe(onDay)
    expect(await total({ to: dayBefore(day) })).toBe(days.length - onDay)
    expect(await total({ from: dayAfter(day) })).toBe(0)
  },
)

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}

test('[B-03] the summary of all accounts leaves out transfers between them', async () => {
  const { data } = await world.call(statementSummary, investor)
  expect(data).toMatchObject({ opening: 0, in: 500, out: 0, closing: 500 })
  expect(data.kinds).toEqual([
    { kind: 'deposit', lines: 1, in: 500, out: 0 },
    { kind: 'investment', lines: 0, in: 0, out: 0 },
    { kind: 'earning', lines: 0, in: 0, out: 0 },
    { kind: 'withdrawal', lines: 2, in: 0, out: 0 },
  ])
})

test('[B-03] the summary of one account counts every movement', async () => {
  const summary = async (account: StatementAccount) =>
    (await world.call(statementSummary, investor, { query: { account } })).data
  expect(await summary('available')).toMatchObject({ opening: 0, in: 500, out: 120, closing: 380 })
  expect(await summary('held')).toMatchObject({ opening: 0, in: 120, out: 0, closing: 120 })
  expect(await summary('invested')).toMatchObject({ opening: 0, in: 0, out: 0, closing: 0 })
})

test('refuses a reversed period, an invalid day and an unknown zone', async () => {
  for (const [query, message] of [
    [{ from: '2026-02-01', to: '2026-01-31' }, 'The last day cannot be before the first'],
    [{ from: '2026-02-30' }, 'Enter the date as YYYY-MM-DD'],
    [{ to: '1999-12-31' }, 'Enter a date from 2000 on'],
    [{ zone: 'Mars/Olympus' }, 'This time zone is not known'],
  ] as const) {
    for (const call of [statement, statementSummary]) {
      expect(await world.call(call, investor, { query })).toMatchObject({ status: 400, message })
    }
  }
})

test('[B-03] an admin may name a user; an investor sees only their own', async () => {
  const query = { userId: investor.id }
  expect((await world.call(statement, world.admin, { query })).data).toHaveLength(3)
  expect((await world.call(statement, investor, { query })).data).toHaveLength(3)
  expect((await world.call(statementSummary, world.admin, { query })).data.closing).toBe(500)
  const other = await world.person('Other')
  for (const call of [statement, statementSummary]) {
    expect(await world.call(call, other, { query })).toMatchObject({ status: 403, code: 'forbidden' })
  }
  expect((await world.call(statement, other)).data).toEqual([])
  expect((await world.call(statementSummary, other)).data).toMatchObject({ opening: 0, closing: 0 })
})
