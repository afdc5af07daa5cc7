import { beforeAll, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { investorBalances } from '#server/ledger/balances.ts'
import { addressOf } from '#shared/call-address.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { yearCsv, yearPdf } from '#shared/contract/ledger.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { formatDecimal } from '#shared/money.ts'
import { parseCsv } from '#test/support/csv.ts'
import { readPdf } from '#test/support/pdf.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
/** The year of every posting. */
let year: number
beforeAll(async () => {
  world = await openWorld()
  const { services, admin, secondAdmin } = world
  year = services.clock.now().getUTCFullYear()
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  investor = await world.person('Yara Year')
  await world.fund(investor, 200_050n)
  const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data: investment } = await world.call(newInvestment, investor, { body: invest })
  await world.call(approveInvestment, admin, { params: { id: investment._id } })
  for (const [source, amount] of [
    ['Rent', 10],
    ['Sale of a shop', 50],
  ] as const) {
    const evidence = 'https://example.com/evidence'
    await world.call(newReturn, admin, { body: { amount, source, realisedAt: `${year}-01-01`, evidence } })
  }
  await world.earn(investor, 1_230n)
  await world.earn(investor, 500n)
  const ask = { wallet: 'Bitcoin (BTC)', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' } as const
  const [paid] = [
    await world.call(newWithdrawal, investor, { body: { ...ask, amount: 120 } }),
    // Still on hold: neither paid out nor gone from the balance.
    await world.call(newWithdrawal, investor, { body: { ...ask, amount: 80 } }),
  ]
  const params = { id: paid.data._id }
  await world.call(approveWithdrawal, admin, { params })
  const body = { transactionId: 'ab'.repeat(32) }
  expect((await world.call(payWithdrawal, secondAdmin, { params, body })).status).toBe(200)
})

function download(call: typeof yearCsv | typeof yearPdf, of: number, who: Person = investor) {
  const url = addressOf(call as typeof yearCsv, { query: { year: `${of}`, userId: investor.id } })
  return world.app.inject({
    method: 'GET',
    url,
    headers: { authorization: `Bearer ${world.tokenOf(who)}` },
  })
}

async function rowsOf(of: number) {
  const answer = await download(yearCsv, of)
  expect(answer.statusCode, answer.body).toBe(200)
  return parseCsv(answer.body.slice(1)).map(row => [row[0]!, row[5]!] as const)
}

const cents = (text: string) => BigInt(text.replace('.', ''))

test('[B-03] the CSV of a year adds up to the balances of the ledger', async () => {
  const [head, opening, ...rows] = await rowsOf(year)
  const closing = rows.pop()!
  expect(head).toEqual(['Part', 'Amount'])
  expect(opening).toEqual(['Opening balance', '0.00'])
  expect(rows).toEqual([
    ['Paid in', '2000.50'],
    ['Earnings', '12.30'],
    ['Earnings', '5.00'],
    ['Withdrawals paid', '-120.00'],
  ])
  const { available, held, invested } = await investorBalances(world.services.db, investor.id)
  expect(closing).toEqual(['Closing balance', formatDecimal(available + held + invested, 2)])
  expect(rows.reduce((sum, [, amount]) => sum + cents(amount), 0n)).toBe(cents(closing[1]))
})

test('[B-03] the PDF of a year has earnings by day and source, and its sums', async () => {
  const answer = await download(yearPdf, year)
  expect(answer.headers['content-disposition']).toContain(`yearly-statement-${year}.pdf`)
  const { pages, title } = readPdf(answer.rawPayload)
  expect(title).toBe(`Yearly statement ${year}, ${sampleFirm.legalName}`)
  const texts = pages.flat()
  const part = texts.slice(texts.indexOf('Earnings by day and source'))
  const amountOf = (source: string) => part[part.indexOf(source) + 1]
  expect([amountOf('Rent'), amountOf('Sale of a shop'), amountOf('Total')]).toEqual([
    '$10.00',
    '$7.30',
    '$17.30',
  ])
  expect(texts.join(' ')).toContain('paid in $2,000.50 + earnings $17.30 - withdrawals $120.00 =')
})

test('[B-03] an earlier year is empty, and one that has not begun is refused', async () => {
  expect(await rowsOf(year - 1)).toEqual([
    ['Part', 'Amount'],
    ['Opening balance', '0.00'],
    ['Closing balance', '0.00'],
  ])
  expect(readPdf((await download(yearPdf, year - 1)).rawPayload).pages.flat()).toContain(
    'No earnings were paid in this period.',
  )
  const early = await download(yearCsv, year + 1)
  expect([early.statusCode, early.json().fields]).toEqual([
    400,
    { year: `${year + 1} has not begun. Choose an earlier year` },
  ])
})

test('[D8, N-12] only the owner and staff with the right to the books get it, and it is audited', async () => {
  expect((await download(yearPdf, year, await world.person('Other'))).statusCode).toBe(403)
  expect((await download(yearPdf, year, world.admin)).statusCode).toBe(200)
  const { data } = await world.call(listAudit, world.admin, {
    query: { status: 'statement.exported', limit: 1 },
  })
  expect(data[0]).toMatchObject({ actor: world.admin.id, details: { format: 'pdf', year } })
})

test('[B-03] the next year opens with the balance that this one closed with', async () => {
  const closing = (await rowsOf(year)).at(-1)![1]
  world.clock.pass({ days: 366 })
  expect(await rowsOf(year + 1)).toEqual([
    ['Part', 'Amount'],
    ['Opening balance', closing],
    ['Closing balance', closing],
  ])
})
