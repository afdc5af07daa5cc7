import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/context.ts'
import { watchMovements } from '#server/monitoring/watch.ts'
import { batchesOf } from '#server/platform/database/batches.ts'
import { localTimes } from '#server/platform/zones.ts'
import { addressOf } from '#shared/call-address.ts'
import { listUsers, usersCsv } from '#shared/contract/accounts.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { declineDeposit, depositsCsv, listDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { earningsCsv, listEarnings } from '#shared/contract/earnings.ts'
import { checksCsv, listChecks } from '#shared/contract/identity.ts'
import {
  approveInvestment,
  investmentsCsv,
  listInvestments,
  newInvestment,
} from '#shared/contract/investments.ts'
import { casesCsv, listCases } from '#shared/contract/monitoring.ts'
import { listReturns, newReturn, returnsCsv } from '#shared/contract/returns.ts'
import { listMatches, matchesCsv } from '#shared/contract/screening.ts'
import {
  auditCsv,
  contactMessagesCsv,
  listAudit,
  listContactMessages,
  newContactMessage,
} from '#shared/contract/site.ts'
import { listWithdrawals, newWithdrawal, withdrawalsCsv } from '#shared/contract/withdrawals.ts'
import { waitingForFiles } from '#shared/download.ts'
import { parseCsv } from '#test/support/csv.ts'
import { proofsIn } from '#test/support/identity.ts'
import { importSdn } from '#test/support/sanctions.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { type Cells, ROWS_AT_ONCE, tableAsCsv } from './table-csv.ts'

let world: World
let investor: Person
const formula = '=HYPERLINK("https://evil.example", "Zoë’s refund, now")'

beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  const { admin } = world
  investor = await world.person('@Ines Investor')
  await world.fund(investor, 500_000n)
  const { data: bounced } = await world.call(newDeposit, investor, {
    body: { method: 'usdt', amount: 120.5 },
  })
  await world.call(declineDeposit, admin, { params: { id: bounced._id }, body: { reason: formula } })
  await world.call(newDeposit, investor, { body: { method: 'bitcoin', amount: 300 } })
  const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data: investment } = await world.call(newInvestment, investor, { body: invest })
  await world.call(approveInvestment, admin, { params: { id: investment._id } })
  await world.call(newReturn, admin, {
    body: { amount: 50, source: '+Rent', realisedAt: '2026-01-31', evidence: 'BANK-1' },
  })
  await world.earn(investor, 1_230n, { note: '-1' })
  await world.call(newWithdrawal, investor, {
    body: { amount: 120, wallet: 'Bitcoin (BTC)', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  })
  await importSdn(world, [{ uid: 1, first: 'Ines', last: 'INVESTOR' }])
  await world.fund(await world.person('@Fay Funded'), 5_000_000n)
  await watchMovements(world.services)
  await proofsIn(() => world).send(investor)
  await world.call(newContactMessage, null, {
    body: { name: 'Anna', email: 'anna@example.com', subject: '@SUM(A1)', message: 'one\ntwo' },
  })
})

type File = CallDefinition & { file: 'text/csv' }
type Table = CallDefinition & { list: true }

function download(call: File, query: Record<string, string> = {}, who = world.admin, language = 'en') {
  const headers = { authorization: `Bearer ${world.tokenOf(who)}`, 'accept-language': language }
  return world.app.inject({ method: 'GET', url: addressOf(call, { query }), headers })
}

/** The file's rows, by column names. */
async function rowsOf(call: File, query: Record<string, string> = {}): Promise<Record<string, string>[]> {
  const { body, statusCode } = await download(call, query)
  expect(statusCode, body).toBe(200)
  expect(body.startsWith('\ufeff')).toBe(true)
  const [header, ...rows] = parseCsv(body.slice(1))
  expect(new Set(header).size, header?.join()).toBe(header?.length)
  return rows.map(row => Object.fromEntries(row.map((cell, place) => [header?.[place], cell])))
}

const files: [string, File, Table, string][] = [
  ['users', usersCsv, listUsers, 'Id'],
  ['deposits', depositsCsv, listDeposits, 'Id'],
  ['withdrawals', withdrawalsCsv, listWithdrawals, 'Id'],
  ['investments', investmentsCsv, listInvestments, 'Id'],
  ['earnings', earningsCsv, listEarnings, 'Id'],
  ['returns', returnsCsv, listReturns, 'Id'],
  ['matches', matchesCsv, listMatches, 'Id'],
  ['cases', casesCsv, listCases, 'Id'],
  ['identity checks', checksCsv, listChecks, 'Id'],
  ['messages', contactMessagesCsv, listContactMessages, 'Id'],
  ['audit log', auditCsv, listAudit, 'Entry'],
]

test.each(files)(
  '[N-13] the file of the %s has the rows of the list, in its order',
  async (_, file, list, id) => {
    const { data } = await world.call(list, world.admin, { query: { limit: 200 } } as never)
    const ids = (data as { _id: string }[]).map(({ _id }) => _id)
    expect(ids.length).toBeGreaterThan(0)
    const rows = await rowsOf(file)
    // The log's line about this export comes later.
    expect(rows.map(row => row[id]).slice(-ids.length)).toEqual(ids)
  },
)

test.each(files)('the file of the %s has the same words in every language', async (_, file) => {
  const rows = (body: string) => parseCsv(body.slice(1))
  const english = rows((await download(file)).body)
  const german = rows((await download(file, {}, world.admin, 'de')).body)
  // The log's lines about these exports come later.
  expect(german.slice(-english.length + 1)).toEqual(english.slice(1))
})

test.each(files)('a HEAD request does not create the file of the %s', async (_, file) => {
  const told = await filesTold()
  const { statusCode, headers } = await world.app.inject({
    method: 'HEAD',
    url: addressOf(file, {}),
    headers: { authorization: `Bearer ${world.tokenOf(world.admin)}` },
  })
  expect([statusCode, headers.allow]).toEqual([405, 'GET'])
  expect(await filesTold()).toBe(told)
})

test('[N-13] a file is narrowed and sorted as the list on show', async () => {
  const amounts = async (query: Record<string, string>) =>
    (await rowsOf(depositsCsv, query)).map(({ Amount }) => Amount)
  expect(await amounts({ sort: 'amount' })).toEqual(['120.50', '300.00', '5000.00', '50000.00'])
  expect(await amounts({ sort: '-amount', amountTo: '300' })).toEqual(['300.00', '120.50'])
  expect(await amounts({ status: 'pending', method: 'bitcoin' })).toEqual(['300.00'])
  expect(await amounts({ q: 'nobody@example.com' })).toEqual([])
  const refused = await download(depositsCsv, { status: 'lost' })
  expect([refused.statusCode, refused.json().fields.status]).toEqual([400, expect.any(String)])
})

test('the file of deposits has the amounts of the list, which another query reads', async () => {
  const { data } = await world.call(listDeposits, world.admin, { query: { limit: 200 } })
  expect(data.some(({ received }) => received !== null)).toBe(true)
  const listed = data.map(({ credited, deviation, received, transactionId }) => [
    credited?.toFixed(2) ?? '',
    deviation ?? '',
    received ?? '',
    transactionId ?? '',
  ])
  const rows = await rowsOf(depositsCsv)
  expect(rows.map(row => [row.Credited, row.Deviation, row['Amount received'], row.Transaction])).toEqual(
    listed,
  )
})

test('a text of a person that could be a formula is a text in every file', async () => {
  const [declined] = await rowsOf(depositsCsv, { status: 'declined' })
  expect(declined).toMatchObject({ User: "'@Ines Investor", 'Decline reason': `'${formula}` })
  expect(await rowsOf(usersCsv, { q: investor.email })).toMatchObject([
    { Name: "'@Ines Investor", Phone: "'+61 400 000 000", Balance: '4392.30', 'In plans': '500.00' },
  ])
  expect(await rowsOf(returnsCsv)).toMatchObject([{ Source: "'+Rent", 'Left to pay out': '37.70' }])
  expect(await rowsOf(earningsCsv)).toMatchObject([{ Note: "'-1", Amount: '12.30' }])
  expect(await rowsOf(contactMessagesCsv)).toMatchObject([{ Subject: "'@SUM(A1)", Message: 'one\ntwo' }])
})

test("times in a file are those of the reader's zone, and its name is of their day", async () => {
  const zone = 'Pacific/Kiritimati'
  const [row] = await rowsOf(depositsCsv, { zone, status: 'pending' })
  expect(row?.Requested).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+14:00$/)
  const { headers } = await download(depositsCsv, { zone })
  expect(headers['content-disposition']).toBe(
    `attachment; filename="deposits-${localTimes(zone)(world.clock.now()).day}.csv"`,
  )
})

test('[N-12] the audit log has each export, with its filter', async () => {
  await download(withdrawalsCsv, { status: 'pending', wallet: 'Bitcoin (BTC)' }, world.secondAdmin)
  const { data } = await world.call(listAudit, world.admin, { query: { status: 'list.exported', limit: 1 } })
  expect(data[0]).toMatchObject({
    actor: world.secondAdmin.id,
    details: { list: 'withdrawals', status: 'pending', wallet: 'Bitcoin (BTC)' },
  })
})

const ROWS = 100_000
const many = sql<{ n: number; text: string }>`
  SELECT n, repeat('x', 100) AS text FROM generate_series(1, ${sql.lit(ROWS)}) AS n`

/** The file of 100,000 rows, and how many of its batches were read from the database. */
async function longFile({
  caller = world.admin.caller,
  longestMs,
}: {
  caller?: Caller
  longestMs?: number
} = {}) {
  const { db } = world.services
  const read = { batches: 0 }
  const ctx = { services: world.services, caller, ip: null, requestId: 'long-file' }
  const file = {
    name: 'numbers',
    filter: {},
    rows: many.compile(db),
    items: (rows: { n: number; text: string }[]) => {
      read.batches += 1
      return rows
    },
    columns: [
      ['Number', ({ n }: { n: number }) => String(n)],
      ['Text', ({ text }: { text: string }, cells: Cells) => cells.text(text)],
    ] as const,
  }
  const { content } = await tableAsCsv(ctx as never, file, longestMs)
  return { content: content as Readable, read }
}

/** As if the client had disconnected. */
async function giveUp(content: Readable) {
  const over = once(content, 'close')
  content.destroy()
  await over
}

/** Number of exports in the audit log. */
async function filesTold(): Promise<number> {
  const { rows } = await world.owner(
    `SELECT count(*)::int AS told FROM app.audit_log WHERE action = 'list.exported'`,
  )
  return rows[0].told
}

test('[N-13] 100,000 rows go out batch by batch: what nobody takes is not read', async () => {
  const { content, read } = await longFile()
  const chunks = content[Symbol.asyncIterator]()
  let text = ''
  let most = 0
  for (let taken = 0; ; taken += 1) {
    const { value, done } = await chunks.next()
    if (done) break
    text += value
    most = Math.max(most, read.batches - taken)
  }
  expect(parseCsv(text.slice(1))).toHaveLength(ROWS + 1)
  expect(read.batches).toBe(ROWS / ROWS_AT_ONCE)
  // One in transit and one ready, whichever side is slow.
  expect(most).toBeLessThanOrEqual(3)
})

test('an abandoned download releases its connection', async () => {
  const { pool } = world.services
  const { content, read } = await longFile()
  await once(content, 'readable')
  await giveUp(content)
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
  expect(read.batches).toBeLessThan(5)
})

test('slow readers of files leave connections to others and their slot to the next', async () => {
  const { pool } = world.services
  const told = await filesTold()
  const begun: Readable[] = []
  const begin = async () => {
    const { content } = await longFile()
    await once(content, 'readable')
    begun.push(content)
  }
  await expect(
    (async () => {
      while (begun.length < pool.options.max) await begin()
    })(),
  ).rejects.toMatchObject({ code: 'not_ready', reason: waitingForFiles })
  expect(begun.length).toBe(4)
  // A refused export is not logged.
  expect((await filesTold()) - told).toBe(begun.length)
  await giveUp(begun.shift()!)
  await begin()
  for (const content of begun) await giveUp(content)
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
})

test('without its audit entry no file is made, and the next one gets the slot', async () => {
  const { pool } = world.services
  const nobody = { ...world.admin.caller, userId: 'no id at all' }
  for (let n = 0; n <= pool.options.max; n += 1)
    await expect(longFile({ caller: nobody })).rejects.toMatchObject({ code: '22P02' })
  const { content } = await longFile()
  await giveUp(content)
})

test('aborts a file that is read too slowly and frees its connection', async () => {
  const { pool } = world.services
  const { content, read } = await longFile({ longestMs: 50 })
  const [over, brokenOff] = [once(content, 'close').catch(() => {}), once(content, 'error')]
  // The client reads the header and then stops.
  content.once('readable', () => content.read())
  expect((await brokenOff)[0].message).toBe('The download did not finish within 50 ms')
  await over
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
  expect(read.batches).toBeLessThan(ROWS / ROWS_AT_ONCE)
})

test('a file is as of one moment, whatever is written while it is sent', async () => {
  const { db, pool } = world.services
  const ids = db.selectFrom('app.deposits').select('id').compile()
  const before = (await db.selectFrom('app.deposits').select('id').execute()).length
  let seen = 0
  for await (const batch of batchesOf(pool, [ids], 1)) {
    seen += batch.length
    if (seen === 1) await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
  }
  expect(seen).toBe(before)
})

test('a batch that the database refuses is an error, and the pool stays whole', async () => {
  const { db, pool } = world.services
  const broken = sql<{ n: number }>`SELECT 1 / (3 - n) AS n FROM generate_series(1, 10) AS n`.compile(db)
  const read = async () => {
    for await (const _ of batchesOf(pool, [broken], 2));
  }
  await expect(read()).rejects.toThrow('division by zero')
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
})
