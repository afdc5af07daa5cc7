import { beforeAll, expect, test } from 'vitest'
import { listUsers } from '#shared/contract/accounts.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { approveDeposit, listDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, listEarnings } from '#shared/contract/earnings.ts'
import type {
  Deposit,
  Earning,
  Investment,
  RealisedReturn,
  User,
  Withdrawal,
} from '#shared/contract/entities.ts'
import { approveInvestment, listInvestments, newInvestment } from '#shared/contract/investments.ts'
import { listReturns, newReturn } from '#shared/contract/returns.ts'
import { listAudit, listContactMessages, newContactMessage } from '#shared/contract/site.ts'
import { listWithdrawals, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { tamper } from '#test/support/tampering.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let rich: Person

const bitcoin = { wallet: 'Bitcoin (BTC)', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' } as const
const tether = { wallet: 'USDT TRC-20', address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' } as const

beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  const { admin } = world
  rich = await world.person('Rita Rich')
  const poor = await world.person('paul poor')
  await world.person('Quinn Quiet')
  await world.owner(`UPDATE app.users SET country = 'New Zealand' WHERE id = '${poor.id}'`)
  await world.fund(rich, 2_000_000n)
  await world.fund(poor, 50_000n)
  for (const [who, method, amount] of [
    [rich, 'usdt', 250],
    [poor, 'usdt', 250],
    [rich, 'bitcoin', 100.5],
    [poor, 'ethereum', 9999.99],
    [rich, 'usdt', 250],
  ] as const)
    await world.call(newDeposit, who, { body: { method, amount } })
  for (const amount of [500, 300, 500]) {
    const body = { method: 'balance', plan: 'Basic', amount } as const
    const { data } = await world.call(newInvestment, rich, { body })
    if (amount === 500) await world.call(approveInvestment, admin, { params: { id: data._id } })
  }
  for (const amount of [40, 10, 40, 25.25])
    await world.call(newWithdrawal, rich, { body: { amount, ...(amount === 10 ? tether : bitcoin) } })
  for (const [amount, realisedAt] of [
    [70, '2026-02-28'],
    [30, '2026-01-31'],
    [70, '2026-02-28'],
  ] as const)
    await world.call(newReturn, admin, { body: { amount, realisedAt, source: 'Rent', evidence: 'BANK-1' } })
  for (const amount of [5, 1.5, 5])
    await world.call(addEarning, admin, { params: { userId: rich.id }, body: { amount } })
  for (const [n, name] of ['beata', 'Anton', 'beata'].entries())
    await world.call(newContactMessage, null, {
      body: { name, email: `${name.toLowerCase()}@example.com`, subject: 'Hello', message: `Good day ${n}` },
    })
})

type Ask = Record<string, string | number>
type Row = { _id: string }
type Table = CallDefinition & { list: true }

async function read<R extends Row>(call: Table, query: Ask): Promise<R[]> {
  const answer = await world.call(call, world.admin, { query } as never)
  expect(answer.status, answer.message).toBe(200)
  return answer.data as R[]
}

/** The whole list, two rows at a time. */
async function pageByPage(call: Table, query: Ask): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const input = { query: { ...query, limit: 2, ...(cursor ? { cursor } : {}) } }
    const { data, page } = await world.call(call, world.admin, input as never)
    ids.push(...(data as Row[]).map(({ _id }) => _id))
    cursor = page?.nextCursor ?? undefined
  } while (cursor)
  return ids
}

const never = '9999'
const orders: [string, Table, string, (row: never) => string | number][] = [
  ['users by name', listUsers, 'name', ({ name }: User) => name.toLowerCase()],
  ['users by email', listUsers, 'email', ({ email }: User) => email],
  ['users by country', listUsers, 'country', ({ country }: User) => country.toLowerCase()],
  ['users by balance', listUsers, 'balance', ({ balance }: User) => balance],
  ['users by time', listUsers, 'created', ({ createdAt }: User) => createdAt],
  ['deposits by amount', listDeposits, 'amount', ({ amount }: Deposit) => amount],
  ['deposits by status', listDeposits, 'status', ({ status }: Deposit) => status],
  ['deposits by method', listDeposits, 'method', ({ method }: Deposit) => method],
  ['deposits by time', listDeposits, 'created', ({ createdAt }: Deposit) => createdAt],
  ['withdrawals by amount', listWithdrawals, 'amount', ({ amount }: Withdrawal) => amount],
  ['withdrawals by status', listWithdrawals, 'status', ({ status }: Withdrawal) => status],
  ['withdrawals by wallet', listWithdrawals, 'wallet', ({ wallet }: Withdrawal) => wallet],
  ['withdrawals by time', listWithdrawals, 'created', ({ createdAt }: Withdrawal) => createdAt],
  ['investments by amount', listInvestments, 'amount', ({ amount }: Investment) => amount],
  ['investments by status', listInvestments, 'status', ({ status }: Investment) => status],
  [
    'investments by ending date',
    listInvestments,
    'ending',
    ({ endingDate }: Investment) => endingDate ?? never,
  ],
  ['investments by time', listInvestments, 'created', ({ createdAt }: Investment) => createdAt],
  ['earnings by amount', listEarnings, 'amount', ({ amount }: Earning) => amount],
  ['earnings by status', listEarnings, 'status', ({ status }: Earning) => status],
  ['earnings by time', listEarnings, 'created', ({ createdAt }: Earning) => createdAt],
  ['returns by amount', listReturns, 'amount', ({ amount }: RealisedReturn) => amount],
  ['returns by their day', listReturns, 'realised', ({ realisedAt }: RealisedReturn) => realisedAt],
  ['messages by sender', listContactMessages, 'name', ({ name }: { name: string }) => name.toLowerCase()],
  ['messages by email', listContactMessages, 'email', ({ email }: { email: string }) => email],
  ['messages by time', listContactMessages, 'created', ({ createdAt }: { createdAt: string }) => createdAt],
  ['the audit log by time', listAudit, 'at', ({ at }: { at: string }) => at],
]

test.each(orders)(
  '[N-13] %s: sorted both ways, and page by page without a gap where values are equal',
  async (_, call, sort, keyOf) => {
    const rows = await read(call, { sort, limit: 200 })
    expect(rows.length).toBeGreaterThan(2)
    const values = rows.map(row => keyOf(row as never))
    expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    const ids = rows.map(({ _id }) => _id)
    expect(await pageByPage(call, { sort })).toEqual(ids)
    expect(await pageByPage(call, { sort: `-${sort}` })).toEqual(ids.toReversed())
  },
)

test('[D8, N-13] a cursor belongs to its sort order and must have a value of it', async () => {
  const first = await world.call(listDeposits, world.admin, { query: { sort: 'amount', limit: 2 } })
  const cursor = first.page!.nextCursor!
  const [below, before, counted, by] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const refused: Ask[] = [
    { cursor },
    { sort: '-amount', cursor },
    { sort: 'status', cursor },
    { sort: 'amount', cursor: forged(below, before, counted) },
    { sort: 'amount', cursor: forged(below, before, counted, by, "0'; DROP TABLE app.users") },
    { sort: 'amount', cursor: forged(below, before, counted, by, '9'.repeat(30)) },
    { sort: 'created', cursor: forged(below, before, counted, 'created', '2026-02-30 10:00:00+00') },
    { sort: 'created', cursor: forged(below, before, counted, 'created', '2026-02-20 25:00:00+00') },
    { sort: 'method', cursor: forged(below, before, counted, 'method', 'a\0b') },
  ]
  for (const query of refused) {
    const answer = await world.call(listDeposits, world.admin, { query: query as never })
    expect(answer, JSON.stringify(query)).toMatchObject({
      status: 400,
      fields: { cursor: 'Cursor is not valid' },
    })
  }
  const none = await world.call(listDeposits, world.admin, { query: { sort: 'wallet' as never } })
  expect(none).toMatchObject({ status: 400, fields: { sort: expect.stringContaining('-amount') } })
})

test('[N-13] tables are narrowed by amount, both ends included', async () => {
  const amounts = async (query: Ask) =>
    (await read<Deposit>(listDeposits, { sort: 'amount', ...query })).map(({ amount }) => amount)
  expect(await amounts({ amountFrom: '100.5', amountTo: '250' })).toEqual([100.5, 250, 250, 250])
  expect(await amounts({ amountFrom: '250.01', amountTo: '9999.99' })).toEqual([500, 9999.99])
  expect(await amounts({ amountTo: '100.49' })).toEqual([])
  const turned = await world.call(listDeposits, world.admin, { query: { amountFrom: '2', amountTo: '1' } })
  expect(turned).toMatchObject({ status: 400, fields: { amountTo: expect.any(String) } })
})

test('[N-13] tables have filters of their own: method, wallet, plan, country', async () => {
  const methods = await read<Deposit>(listDeposits, { method: 'ethereum' })
  expect(methods.map(({ amount }) => amount)).toEqual([9999.99])
  const wallets = await read<Withdrawal>(listWithdrawals, { wallet: tether.wallet })
  expect(wallets.map(({ amount }) => amount)).toEqual([10])
  expect(await read(listInvestments, { plan: 'basic' })).toHaveLength(3)
  expect(await read(listInvestments, { plan: 'basic', method: 'bitcoin' })).toEqual([])
  expect(await read(listInvestments, { plan: 'bas' })).toEqual([])
  const abroad = await read<User>(listUsers, { country: 'new zealand' })
  expect(abroad.map(({ name }) => name)).toEqual(['paul poor'])
  expect(await read(listDeposits, { method: 'usdt', status: 'pending', q: rich.email })).toHaveLength(2)
})

test("[N-13] tables are narrowed to days of the reader's zone, the newest first", async () => {
  const instants = [
    '2026-05-01T13:59:59Z',
    '2026-05-01T14:00:00Z',
    '2026-05-02T13:59:59Z',
    '2026-05-02T14:00:00Z',
  ]
  const made: string[] = []
  for (const at of instants) {
    const { data } = await world.call(newDeposit, rich, { body: { method: 'usdt', amount: 777 } })
    await tamper(world.database, `UPDATE app.deposits SET created_at = '${at}' WHERE id = '${data._id}'`)
    made.push(data._id)
  }
  const on = async (from: string, to: string, zone: string) =>
    (await read(listDeposits, { from, to, zone })).map(({ _id }) => made.indexOf(_id))
  expect(await on('2026-05-02', '2026-05-02', 'Australia/Sydney')).toEqual([2, 1])
  expect(await on('2026-05-01', '2026-05-02', 'UTC')).toEqual([3, 2, 1, 0])
  const days = await read<RealisedReturn>(listReturns, { from: '2026-02-28', to: '2026-02-28' })
  expect(days.map(({ amount }) => amount)).toEqual([70, 70])
  const turned = await world.call(listDeposits, world.admin, {
    query: { from: '2026-05-02', to: '2026-05-01' },
  })
  expect(turned).toMatchObject({ status: 400, fields: { to: 'The last day cannot be before the first' } })
})

test('[D8] a client without sorting and filters gets the newest first', async () => {
  const rows = await read(listDeposits, {})
  expect(rows.map(({ _id }) => _id)).toEqual(
    rows
      .map(({ _id }) => _id)
      .toSorted()
      .toReversed(),
  )
  expect(await pageByPage(listDeposits, {})).toEqual(rows.map(({ _id }) => _id))
})

test('[N-13] a row that is approved between two pages is in neither of them twice', async () => {
  const person = await world.person('Mia Meanwhile')
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1)
    ids.push((await world.call(newDeposit, person, { body: { method: 'usdt', amount: 321 } })).data._id)
  const query = { q: person.email, sort: 'amount', limit: 2 } as const
  const first = await world.call(listDeposits, world.admin, { query })
  await world.call(approveDeposit, world.admin, { params: { id: ids[0]! } })
  const rest = await world.call(listDeposits, world.admin, {
    query: { ...query, limit: 50, cursor: first.page!.nextCursor! },
  })
  expect([...first.data, ...rest.data].map(({ _id }) => _id)).toEqual(ids)
})

test('[N-13] a deposit is found by the transaction that paid it, however its hash is written', async () => {
  const person = await world.person('Tess Transaction')
  const body = { method: 'usdt', amount: 321 } as const
  const paid = await world.call(newDeposit, person, { body })
  const hash = 'ab'.repeat(32)
  await world.owner(`
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at)
    SELECT 'usdt', '${hash}', 0, app.address_key(address), 'USDT', 1, '{}', now() FROM app.deposits WHERE id = '${paid.data._id}'`)
  const found = async (q: string) => {
    const { data } = await world.call(listDeposits, world.admin, { query: { q } })
    return data.map(({ _id }) => _id)
  }
  for (const q of [hash, hash.toUpperCase(), `0x${hash}`]) expect(await found(q)).toContain(paid.data._id)
  const named = await world.call(newDeposit, person, { body })
  const transactionId = 'ef'.repeat(32)
  await world.call(approveDeposit, world.admin, {
    params: { id: named.data._id },
    body: { received: '321', transactionId },
  })
  expect(await found(`0x${transactionId}`)).toEqual([named.data._id])
  const other = { query: { q: 'cd'.repeat(32) } }
  expect((await world.call(listDeposits, world.admin, other)).data).toEqual([])
})

const ROWS = 20_000

test('[N-13] every order of a long table reads its page and not the table', async () => {
  const whose = await world.person('Lena Long')
  await world.owner(`
    INSERT INTO app.deposits (id, invoice_id, user_id, amount_cents, method, asset, network, address, crypto_units, rate_e8,
                              rate_at, rate_source, payment_uri, expires_at, watch_until, created_at)
    SELECT uuidv7(), 'LONG-' || n, '${whose.id}', 100 + n % 50, CASE n % 2 WHEN 0 THEN 'usdt' ELSE 'bitcoin' END,
           'USDT', 'TRON', 'address', 1, 1, now(), 'sample', 'uri', now(), now(), now() - n * interval '1 minute'
      FROM generate_series(1, ${ROWS}) n;
    ANALYZE app.deposits`)
  const before = await rowsRead(world.database, ['deposits'])
  for (const sort of ['amount', 'status', 'method', 'created'])
    for (const way of [sort, `-${sort}`]) {
      const { page } = await world.call(listDeposits, world.admin, {
        query: { sort: way as 'amount', limit: 50 },
      })
      const query = { sort: way as 'amount', limit: 50, cursor: page!.nextCursor! }
      expect((await world.call(listDeposits, world.admin, { query })).data).toHaveLength(50)
    }
  expect((await rowsRead(world.database, ['deposits'])) - before).toBeLessThan(ROWS)
})
