import { beforeAll, expect, test } from 'vitest'
import { dayAfter, localTimes } from '#server/platform/zones.ts'
import { addressOf } from '#shared/call-address.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { statement, statementCsv } from '#shared/contract/ledger.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { declineWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { parseCsv } from '#test/support/csv.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { statementAsCsv } from './csv.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  await allowPostingsWithoutRecords(world.database)
  investor = await world.person('Ines Investor')
  await world.fund(investor, 200_050n)
  const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data: investment } = await world.call(newInvestment, investor, { body: invest })
  await world.call(approveInvestment, world.admin, { params: { id: investment._id } })
  const realised = {
    amount: 50,
    source: 'Rent',
    realisedAt: '2026-01-31',
    evidence: 'https://example.com/rent',
  }
  await world.call(newReturn, world.admin, { body: realised })
  await world.earn(investor, 1_230n)
  const { data: withdrawal } = await world.call(newWithdrawal, investor, {
    body: { amount: 120, wallet: 'Bitcoin (BTC)', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  })
  const reason = '=HYPERLINK("https://evil.example", "Zoë’s refund, now")'
  await world.call(declineWithdrawal, world.admin, { params: { id: withdrawal._id }, body: { reason } })
})

type File = typeof statementCsv

function download(call: File, who: Person | null, query: Record<string, string> = {}) {
  return world.app.inject({
    method: 'GET',
    url: addressOf(call, { query }),
    headers: who === null ? {} : { authorization: `Bearer ${world.tokenOf(who)}` },
  })
}

async function csvOf(query: Record<string, string> = {}): Promise<string[][]> {
  const { body } = await download(statementCsv, investor, query)
  expect(body.startsWith('\ufeff')).toBe(true)
  return parseCsv(body.slice(1))
}

test('[B-03] the CSV has every posting, with plain decimals and ISO dates', async () => {
  const zone = 'Australia/Sydney'
  const [header, ...rows] = await csvOf({ zone })
  expect(header).toEqual([
    'Date',
    'Time',
    'What',
    'Kind',
    'Number',
    'Account',
    'Amount',
    'Balance after',
    'Currency',
    'Note',
    'Posting',
  ])
  const { data } = await world.call(statement, investor)
  const names = { available: 'Available', invested: 'In plans', held: 'On hold' }
  const kinds = {
    deposit: 'Deposits',
    investment: 'Investments',
    earning: 'Earnings',
    withdrawal: 'Withdrawals',
  }
  const expected = data.map(line => {
    const { day, iso } = localTimes(zone)(new Date(line.at))
    const note = line.note === null ? '' : `'${line.note}`
    const what = [line.description, kinds[line.kind], line.invoiceId, names[line.account]]
    return [day, iso, ...what, line.amount.toFixed(2), line.balance.toFixed(2), 'USD', note, line._id]
  })
  expect(rows).toEqual(expected)
  expect(rows.length).toBe(10)
  for (const [day, time, , , , , amount] of rows) {
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+1[01]:00$/)
    expect(amount).toMatch(/^-?\d+\.\d\d$/)
  }
})

test('the CSV escapes a reason that could be a formula', async () => {
  const rows = await csvOf({ kind: 'withdrawal' })
  const notes = rows.slice(1).map(row => row[9])
  expect(notes).toContain(`'=HYPERLINK("https://evil.example", "Zoë’s refund, now")`)
  expect(notes.filter(note => note?.startsWith('='))).toEqual([])
})

test("[B-03] the CSV takes the statement's filters and is named after its period", async () => {
  const today = localTimes('UTC')(world.clock.now()).day
  expect((await csvOf({ account: 'held' })).slice(1).map(row => row[5])).toEqual(Array(4).fill('On hold'))
  expect((await csvOf({ kind: 'earning' })).slice(1).map(row => row[6])).toEqual(['12.30'])
  expect(await csvOf({ from: dayAfter(today) })).toHaveLength(1)
  const nameOf = async (query: Record<string, string>) =>
    (await download(statementCsv, investor, query)).headers
  expect(await nameOf({})).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="statement-until-${today}.csv"`,
    'cache-control': 'no-store',
  })
  expect(
    await nameOf({ account: 'invested', kind: 'investment', from: '2026-01-01', to: '2026-03-31' }),
  ).toMatchObject({
    'content-disposition':
      'attachment; filename="statement-in-plans-investments-2026-01-01-to-2026-03-31.csv"',
  })
})

test('the CSV is as of its first batch, whatever is posted meanwhile', async () => {
  const person = await world.person('Lena Long')
  for (let i = 0; i < 3; i++) await world.fund(person, 10_000n)
  await world.owner(`SELECT ledger.post(ROW (uuidv7(), 'deposit.settled', 'deposit', uuidv7(), NULL, NULL, NULL),
      ARRAY[ROW (1, ledger.firm(), 'exchange', '${person.id}'::uuid, 'available', 'USD', 100)::ledger.leg])
    FROM generate_series(1, 2100)`)
  const chunks = statementAsCsv(world.services, person.id, { zone: 'UTC' })
  const sizes: number[] = []
  const read: string[] = []
  for await (const chunk of chunks) {
    if (sizes.length === 1) await world.fund(person, 10_000n)
    sizes.push(chunk.split('\r\n').length - 1)
    read.push(chunk)
  }
  expect(sizes).toEqual([1, ...Array.from({ length: 21 }, () => 100), 3])
  const balances = parseCsv(read.join('').slice(1))
    .slice(1)
    .map(row => row[7])
  expect(balances[0]).toBe('2400.00')
  expect(balances.at(-1)).toBe('100.00')
})

test("refuses an export of another user's statement and one without a login", async () => {
  const other = await world.person('Other')
  const before = await world.state()
  const theirs = await download(statementCsv, other, { userId: investor.id })
  expect([theirs.statusCode, theirs.json().code]).toEqual([403, 'forbidden'])
  expect((await download(statementCsv, null)).statusCode).toBe(401)
  expect(await world.state()).toBe(before)
  expect(parseCsv((await download(statementCsv, other)).body.slice(1))).toHaveLength(1)
})

test('[N-12] audits every export with owner, format, filter and actor', async () => {
  await download(statementCsv, world.admin, { userId: investor.id, kind: 'deposit', to: '2026-12-31' })
  const { data } = await world.call(listAudit, world.admin, {
    query: { status: 'statement.exported', limit: 1 },
  })
  expect(data[0]).toMatchObject({
    actor: world.admin.id,
    subjectKind: 'user',
    subject: investor.id,
    details: { format: 'csv', kind: 'deposit', to: '2026-12-31', zone: 'UTC' },
  })
})

test("OpenAPI describes an export's response", async () => {
  const { paths } = (await world.app.inject({ url: '/api/openapi.json' })).json()
  expect(Object.keys(paths['/ledger/statement.csv'].get.responses['200'].content)).toEqual(['text/csv'])
})

test('limits exports per account', async () => {
  const person = await world.person('Eager')
  const statuses: number[] = []
  for (let i = 0; i < 21; i++) statuses.push((await download(statementCsv, person)).statusCode)
  expect(statuses).toEqual([...Array(20).fill(200), 429])
})
