import { beforeAll, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { addressOf } from '#shared/call-address.ts'
import { statementPdf } from '#shared/contract/ledger.ts'
import { declineWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { maximumPdfLines } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { readPdf } from '#test/support/pdf.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

const mark = 'Demonstration: not a real firm'
let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  await allowPostingsWithoutRecords(world.database)
  const { services } = world
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  investor = await world.person('Łukasz 王小明 Ines')
  await world.fund(investor, 50_000n)
  const body = {
    amount: 120,
    wallet: 'Bitcoin (BTC)',
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  } as const
  const { data } = await world.call(newWithdrawal, investor, { body })
  const params = { id: data._id }
  await world.call(declineWithdrawal, world.admin, { params, body: { reason: 'The address is not yours' } })
})

function download(who: Person | null, query: Record<string, string> = {}, from = world) {
  return from.app.inject({
    method: 'GET',
    url: addressOf(statementPdf, { query }),
    headers: who === null ? {} : { authorization: `Bearer ${from.tokenOf(who)}` },
  })
}

async function pdfOf(who: Person, query: Record<string, string> = {}, from = world) {
  const answer = await download(who, query, from)
  expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
  expect(answer.headers['content-type']).toBe('application/pdf')
  return readPdf(answer.rawPayload)
}

/** Posts deposits of a dollar each directly to the ledger. */
const depositDollars = (person: Person, count: number) =>
  world.owner(`SELECT ledger.post(ROW (uuidv7(), 'deposit.settled', 'deposit', uuidv7(), NULL, NULL, NULL),
      ARRAY[ROW (1, ledger.firm(), 'exchange', '${person.id}'::uuid, 'available', 'USD', 100)::ledger.leg])
    FROM generate_series(1, ${count})`)

test('[B-03] the PDF lists each account from opening to closing balance', async () => {
  const { pages, title, isTagged } = await pdfOf(investor, { zone: 'Australia/Sydney' })
  expect(pages).toHaveLength(1)
  expect([title, isTagged]).toEqual([`Account statement, ${sampleFirm.legalName}`, true])
  const texts = pages[0]!
  const account = (name: string) =>
    texts.slice(texts.lastIndexOf(name) + 6, texts.indexOf('Closing balance', texts.lastIndexOf(name)) + 2)
  const number = expect.stringMatching(/^(DEP|WDR)-\d{4}-\d{6}$/)
  const time = expect.stringMatching(/^\d{1,2} \w+ \d{4}, \d\d:\d\d$/)
  const day = expect.stringMatching(/^\d{1,2} \w+ \d{4}$/)
  expect(account('Available')).toEqual([
    ...['Opening balance', '$0.00'],
    ...[time, 'Deposit received', number, '+$500.00', '$500.00'],
    ...[time, 'Held for a withdrawal', number, '-$120.00', '$380.00'],
    ...[
      time,
      'Withdrawal declined, money released',
      'The address is not yours',
      number,
      '+$120.00',
      '$500.00',
    ],
    ...[day, 'Closing balance', '$500.00'],
  ])
})

test('[B-03] the PDF shows the owner, the period and its sums', async () => {
  const today = formatDay(world.clock.now())
  const [texts] = (await pdfOf(investor)).pages as [string[]]
  const after = (name: string, count: number) =>
    texts.slice(texts.indexOf(name) + 1, texts.indexOf(name) + 1 + count)
  // The PDF splits a text at each change of font.
  expect(texts.slice(texts.indexOf('Investor') + 1, texts.indexOf('Email')).join('')).toBe(investor.name)
  expect(texts.slice(texts.indexOf('Email') + 1, texts.indexOf('Account')).join('')).toBe(investor.email)
  expect(after('Account', 1)).toEqual([investor.id])
  expect(after('Period', 1)).toEqual([`From the first entry to ${today}`])
  expect(after('Time zone', 1)).toEqual(['UTC'])
  for (const line of [sampleFirm.legalName, sampleFirm.streetAddress, sampleFirm.unregulatedStatement!]) {
    expect(texts).toContain(line)
  }
  const summary = texts.slice(texts.indexOf('Summary'))
  const row = (name: string) => summary.slice(summary.indexOf(name) + 1, summary.indexOf(name) + 5)
  expect(row('Available')).toEqual(['$0.00', '$620.00', '$120.00', '$500.00'])
  expect(row('On hold')).toEqual(['$0.00', '$120.00', '$120.00', '$0.00'])
  expect(row('Total funds')).toEqual(['$0.00', '$500.00', '$0.00', '$500.00'])
})

function formatDay(at: Date): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(at)
}

test("the PDF takes the statement's filters and names them", async () => {
  const [held] = (await pdfOf(investor, { account: 'held', kind: 'withdrawal' })).pages as [string[]]
  expect(held.filter(text => ['Available', 'In plans', 'On hold', 'Total funds'].includes(text))).toEqual([
    'On hold',
    'On hold',
  ])
  expect(held.slice(held.indexOf('Only') + 1)[0]).toBe('On hold, Withdrawals')
  expect(held.some(text => text.startsWith('Only withdrawals are listed below.'))).toBe(true)
  const before = (await pdfOf(investor, { to: '2020-01-01' })).pages.flat()
  expect(before.filter(text => /\+\$/.test(text))).toEqual([])
  const named = await download(investor, { kind: 'withdrawal', from: '2026-01-01', to: '2026-03-31' })
  expect(named.headers['content-disposition']).toBe(
    'attachment; filename="statement-withdrawals-2026-01-01-to-2026-03-31.pdf"',
  )
})

test('every page of a demonstration says so and has its page number', async () => {
  const person = await world.person('Lena Long')
  await depositDollars(person, 120)
  const { pages } = await pdfOf(person)
  expect(pages.length).toBeGreaterThan(2)
  pages.forEach((texts, place) => {
    expect(texts).toContain(mark)
    expect(texts).toContain(`Page ${place + 1} of ${pages.length}`)
    expect(texts.join(' ')).toContain(sampleFirm.unregulatedStatement)
  })
  const balances = pages.flat().filter((text, n, all) => /^\$\d+\.00$/.test(text) && all[n - 1] === '+$1.00')
  expect(balances).toEqual(Array.from({ length: 120 }, (_, n) => formatUsd(BigInt(n + 1) * 100n)))
})

test('in live mode it shows the configured firm, without the mark', async () => {
  const firm = {
    ...sampleFirm,
    legalName: 'Harbour Street Partners Pty Ltd',
    registrationNumber: 'ACN 004 085 616',
  }
  const licensed = { ...firm, regulator: 'ASIC', licence: 'AFSL 234567', unregulatedStatement: null }
  const live = await openWorld({ mode: 'live', firm: licensed })
  const person = await live.person('Lea Live')
  await live.fund(person, 10_000n)
  const texts = (await pdfOf(person, {}, live)).pages.flat()
  expect(texts).not.toContain(mark)
  for (const line of [
    firm.legalName,
    'Registration ACN 004 085 616',
    'Regulated by ASIC',
    'Licence AFSL 234567',
  ]) {
    expect(texts).toContain(line)
  }
})

test('refuses a period with too many entries, saying what to do', async () => {
  const person = await world.person('Max Many')
  await depositDollars(person, maximumPdfLines + 1)
  const answer = await download(person)
  expect([answer.statusCode, answer.json()]).toMatchObject([
    400,
    {
      code: 'invalid_input',
      message:
        'A PDF can have at most 2,000 entries; this period has 2,001. Choose a shorter period or the CSV',
    },
  ])
  expect((await download(person, { kind: 'withdrawal' })).statusCode).toBe(200)
})

test("refuses another user's PDF; an admin may export any known user's", async () => {
  const other = await world.person('Other')
  const theirs = await download(other, { userId: investor.id })
  expect([theirs.statusCode, theirs.json().code]).toEqual([403, 'forbidden'])
  const absent = '019a0000-0000-7000-8000-000000000000'
  expect((await download(other, { userId: absent })).json()).toEqual(theirs.json())
  expect((await download(null)).statusCode).toBe(401)
  expect((await pdfOf(world.admin, { userId: investor.id })).pages[0]).toContain(investor.id)
  expect((await download(world.admin, { userId: absent })).statusCode).toBe(404)
})
