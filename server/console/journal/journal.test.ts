import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { firm } from '#server/ledger/chart.ts'
import { addressOf } from '#shared/call-address.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { getJournal, journalFile } from '#shared/contract/journal.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { type Asset, assetDecimals, formatDecimal } from '#shared/money.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { parseCsv } from '#test/support/csv.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { depositedAt } from '#test/support/past-deposits.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { writers } from './formats.ts'

const run = promisify(execFile)
const env = { ...process.env, LC_ALL: 'C.UTF-8' }
const hostile = '"Rent"; of 2020-01-01 * "Läden" | 株式 \\ {x} ; a:b, c  Assets:Custody  9 BTC'
/** Days before today with transactions of their own. */
const [early, middle, late] = ['2024-12-31', '2025-01-01', '2025-06-30']

const noonOf = (day: string) => `timestamptz '${day} 12:00:00+00'`

let world: World
let investor: Person
let folder: string
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  await allowPostingsWithoutRecords(world.database)
  folder = mkdtempSync(join(tmpdir(), 'probity-journal-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const other = await world.person('Olga')
  investor = await world.person('Ines; "Investor"')
  await depositedAt(world, noonOf(early), other, 70_000n)
  await depositedAt(world, noonOf(middle), other, 30_000n)
  await depositedAt(world, noonOf(late), other, 10_001n)
  await world.fund(investor, 500_000n)
  const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, investor, { body: invest })
  await world.call(approveInvestment, world.admin, { params: { id: data._id } })
  const realised = { amount: 50, realisedAt: '2026-01-31', evidence: 'https://example.com/rent' }
  await world.call(newReturn, world.admin, { body: { ...realised, source: hostile } })
  await world.call(newReturn, world.admin, { body: { ...realised, source: '=1+1', evidence: 'BANK-2' } })
  await world.earn(investor, 1_230n)
  await world.call(newWithdrawal, investor, {
    body: { amount: 120, wallet: 'Bitcoin (BTC)', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  })
})

function download(query: Record<string, string>, who: Person = world.admin) {
  const headers = { authorization: `Bearer ${world.tokenOf(who)}` }
  return world.app.inject({ method: 'GET', url: addressOf(journalFile, { query } as never), headers })
}

async function journal(query: Record<string, string>): Promise<string> {
  const { statusCode, body } = await download(query)
  expect(statusCode, body).toBe(200)
  return body
}

const inFile = (text: string, name = 'file') => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** What a program says about a file. */
async function judge(program: string, args: string[]): Promise<string> {
  return await run(program, args, { env, maxBuffer: 2 ** 28 }).then(
    ({ stdout, stderr }) => `accepted ${stdout}${stderr}`.trim(),
    error => `${error.stdout}${error.stderr}`,
  )
}

/** The ledger's own balances, by the file's names of the accounts, debits positive. */
async function ownBalances(): Promise<string[]> {
  const { rows } = await world.ownerPool.query<{ account: string; asset: Asset; balance: string }>(
    `SELECT ledger.public_account(kind) || CASE WHEN owner = '${firm}' THEN '' ELSE ':' || owner END AS account, asset, balance
       FROM ledger.balances WHERE balance <> 0`,
  )
  return rows
    .map(({ account, asset, balance }) => {
      return `${account} ${formatDecimal(-BigInt(balance), assetDecimals[asset])} ${asset}`
    })
    .sort()
}

const periods = [
  ['all days', {}],
  ['from a first day on', { from: middle }],
  ['from a day without transactions', { from: '2025-03-01' }],
] as const

describe.skipIf(missingNode(testNodes.hledger))('hledger', () => {
  const program = testNodes.hledger.find()!
  const check = (file: string) =>
    judge(program, ['-f', file, 'check', 'balancednoautoconversion', 'ordereddates'])

  test.each(periods)("[B-03] accepts %s, and its balances are the ledger's", async (_, days) => {
    const file = inFile(await journal({ format: 'hledger', ...days }))
    expect(await check(file)).toBe('accepted')
    const { stdout } = await run(
      program,
      ['-f', file, 'balance', '--flat', '--layout=bare', '-O', 'csv', '-N'],
      { env },
    )
    const found = parseCsv(stdout.replaceAll('\n', '\r\n')).slice(1)
    expect(found.map(([account, asset, amount]) => `${account} ${amount} ${asset}`).sort()).toEqual(
      await ownBalances(),
    )
  })

  test('accepts a year that is over, and refuses it with one amount changed', async () => {
    const year = await journal({ format: 'hledger', from: middle, to: '2025-12-31' })
    expect(await check(inFile(year))).toBe('accepted')
    expect(year.match(/^\d{4}-.*$/gm)).toMatchObject([
      `${middle} * Opening balances`,
      expect.stringContaining(`${middle} * Deposit received  ; id:`),
      expect.stringContaining(`${late} * Deposit received  ; id:`),
      '2025-12-31 * Closing balances',
    ])
    const changed = year.replaceAll('100.01 USD', '100.02 USD').replaceAll('= -1100.02', '= -1100.01')
    expect(changed).not.toBe(year)
    expect(await check(inFile(changed))).toMatch(/balance assertion/)
  })

  test('reads a hostile text as the words of one transaction', async () => {
    const file = inFile(await journal({ format: 'hledger' }))
    const { stdout } = await run(program, ['-f', file, 'descriptions'], { env })
    expect(stdout).toContain(
      'Return recorded: "Rent", of 2020-01-01 * "Läden" / 株式 \\ {x} , a:b, c Assets:Custody 9 BTC\n',
    )
  })
})

describe.skipIf(missingNode(testNodes.beancount))('beancount', () => {
  const check = (file: string) => judge(testNodes.beancount.find()!, [file])

  test.each(periods)('[B-03] accepts %s, and refuses another closing balance', async (_, days) => {
    const text = await journal({ format: 'beancount', ...days })
    expect(await check(inFile(text, 'a.beancount'))).toBe('accepted')
    const own = await ownBalances()
    const stated = [...text.matchAll(/^\S+ balance (\S+) {2}(\S+) ~ 0 (\S+)$/gm)].map(
      ([, account, amount, asset]) => `${account} ${amount} ${asset}`,
    )
    expect(stated).toEqual(expect.arrayContaining(own))
    const changed = text.replace(/(balance Assets:Custody {2}0\.0\d)/, '$11')
    expect(changed).not.toBe(text)
    expect(await check(inFile(changed, 'a.beancount'))).toContain('Balance failed for')
  })

  test('refuses it with one amount changed on both sides', async () => {
    const text = await journal({ format: 'beancount', to: late })
    const changed = text.replace(/( {4}Equity:Exchange {2}100)\.01( USD\n.*-100)\.01 USD/, '$1.02$2.02 USD')
    expect(changed).not.toBe(text)
    expect(await check(inFile(changed, 'a.beancount'))).toContain('Balance failed for')
  })
})

test('no text leaves its line or its string, whatever its characters', () => {
  const transaction = { id: 'id', at: new Date(0), number: null, record: 'record', txid: null }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'\n\r\u2028\u0085\t;|"\\ a') }), text => {
      const [hledger, beancount] = [writers.hledger, writers.beancount].map(({ transaction: write }) =>
        write({ ...transaction, description: `Return: ${text}` }),
      )
      expect(hledger).toMatch(
        /^\n1970-01-01 \* Return:[^\p{Cc}\u2028;|]* {2}; id:id, time:\S+, record:record\n$/u,
      )
      expect(beancount).toMatch(/^\n1970-01-01 \* "Return:(?:[^\p{Cc}\u2028"\\]|\\["\\])*"\n {2}id: "id"\n/u)
    }),
  )
})

test("[B-03] the CSV has each posting once, and its sums are the ledger's balances", async () => {
  const [header, ...rows] = parseCsv((await journal({ format: 'csv', from: middle })).slice(1))
  expect(header).toContain('Network transaction')
  const sums = new Map<string, bigint>()
  const closings: string[] = []
  const units = (text: string, asset: string) =>
    BigInt((text || '0').replace('.', '')) * (text === '' ? 0n : 1n) * (asset === '' ? 0n : 1n)
  for (const [line, , , , , , account, debit, credit, asset] of rows) {
    const key = `${account} ${asset}`
    const amount = units(debit!, asset!) - units(credit!, asset!)
    if (line === 'Posting' || line === 'Opening balance') sums.set(key, (sums.get(key) ?? 0n) + amount)
    else if (line === 'Closing balance' && amount !== 0n) {
      closings.push(`${account} ${formatDecimal(amount, assetDecimals[asset as Asset])} ${asset}`)
      expect(sums.get(key), key).toBe(amount)
    }
  }
  expect(closings.sort()).toEqual(await ownBalances())
  const words = rows.map(row => row[4])
  expect(words).toContain(`Return recorded: ${hostile}`)
  expect(words.filter(text => text?.startsWith('='))).toEqual([])
})

test.each(['hledger', 'beancount', 'csv'])('the %s file names no person', async format => {
  const text = await journal({ format })
  expect(text).toContain(`:${investor.id}`)
  for (const secret of ['Ines', 'Olga', '@probity.test', 'bc1qw508']) expect(text).not.toContain(secret)
})

test('[N-14] admin, finance and auditors export it, others and wrong days are refused', async () => {
  for (const role of ['finance', 'auditor'] as const) {
    const reader = await world.person(`Rea ${role}`, role)
    expect((await download({ format: 'csv' }, reader)).statusCode).toBe(200)
  }
  const support = await world.person('Sue', 'support')
  for (const who of [investor, support]) expect((await download({ format: 'csv' }, who)).statusCode).toBe(403)
  const today = world.clock.now().toISOString().slice(0, 10)
  const { data } = await world.call(getJournal, world.admin)
  expect(data).toEqual({ firstDay: early, today })
  const reversed = await download({ format: 'csv', from: late, to: early })
  expect([reversed.statusCode, Object.keys(reversed.json().fields)]).toEqual([400, ['to']])
  const future = await download({ format: 'csv', from: '2199-01-01' })
  expect([future.statusCode, Object.keys(future.json().fields)]).toEqual([400, ['from']])
})

test('[N-12] the file is named after its days, and the audit log has the export', async () => {
  const query = { format: 'beancount', from: middle, to: '2025-12-31' }
  const { headers } = await download(query, world.secondAdmin)
  expect(headers['content-disposition']).toBe(
    'attachment; filename="journal-2025-01-01-to-2025-12-31.beancount"',
  )
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  const { data } = await world.call(listAudit, world.admin, { query: { status: 'list.exported', limit: 1 } })
  expect(data[0]).toMatchObject({ actor: world.secondAdmin.id, details: { list: 'journal', ...query } })
})
