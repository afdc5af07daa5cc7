import { beforeAll, expect, test } from 'vitest'
import { readCoverage } from '#server/chain/coverage.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { addressOf } from '#shared/call-address.ts'
import { cancelInvestment } from '#shared/contract/cancelling.ts'
import { cashFlowCsv, getCashFlow } from '#shared/contract/cash-flow.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { heldReadingHours } from '#shared/limits.ts'
import { parseCsv } from '#test/support/csv.ts'
import { clearOfTheHour } from '#test/support/hour.ts'
import { payingRails } from '#test/support/payouts.ts'
import { scriptedChain } from '#test/support/scripted-chain.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

const payout = {
  wallet: 'Bitcoin (BTC)',
  walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
} as const

let world: World
let ines: Person
let omar: Person
beforeAll(async () => {
  await clearOfTheHour()
  world = await openWorld({ ...payingRails, rateLimit: false })
  ines = await world.person('Ines Investor')
  omar = await world.person('Omar Investor')
  await world.fund(ines, 1_000_000n)
  await world.fund(omar, 300_000n)
  const body = { amount: 500, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' }
  await world.call(newReturn, world.admin, { body })
  await invest(ines, 2_000)
  await invest(omar, 600)
  await world.earn(ines, 1_000n)
  await pay(await withdraw(ines, 400))
  await withdraw(omar, 300)
})

/** The figures are cached for a minute. */
async function cashFlow() {
  world.clock.pass({ minutes: 2 })
  return (await world.call(getCashFlow, world.admin)).data
}

async function invest(who: Person, amount: number) {
  const plan = amount < 1_000 ? 'Basic' : 'Enthusiast'
  const { data } = await world.call(newInvestment, who, { body: { method: 'balance', plan, amount } })
  await world.call(approveInvestment, world.admin, { params: { id: data._id } })
}

async function withdraw(who: Person, amount: number): Promise<string> {
  return (await world.call(newWithdrawal, who, { body: { amount, ...payout } })).data._id
}

async function pay(id: string) {
  await world.call(approveWithdrawal, world.admin, { params: { id } })
  const body = { transactionId: id.replaceAll('-', '').padStart(64, '0') }
  await world.call(payWithdrawal, world.secondAdmin, { params: { id }, body })
}

/** Dollars that moved to a kind of account on these events, summed over the entries. */
async function credited(kind: string, events: string[], owner?: string): Promise<number> {
  const { rows } = await world.ownerPool.query<{ sum: string | null }>(
    `SELECT sum(abs(e.amount)) AS sum FROM ledger.entries e
       JOIN ledger.transactions t ON t.id = e.transaction_id JOIN ledger.accounts a ON a.id = e.account_id
      WHERE a.kind = $1 AND a.asset = 'USD' AND t.event = ANY ($2) AND ($3::uuid IS NULL OR a.owner = $3)`,
    [kind, events, owner ?? null],
  )
  return Number(rows[0]!.sum) / 100
}

const owedTo = async (who: Person) => {
  const { available, held, invested } = await world.balances(who)
  return Number(available + held + invested) / 100
}

test('[N-01, B-03] months and cohorts are sums of the entries', async () => {
  const { months, cohorts, cohortsAsOf, asOf } = await cashFlow()
  expect(months).toHaveLength(12)
  expect(months.at(-1)).toEqual({
    month: asOf.slice(0, 7),
    deposits: await credited('available', ['deposit.settled']),
    withdrawals: await credited('payouts', ['withdrawal.paid']),
    earnings: await credited('available', ['earning.paid']),
    returns: await credited('recorded_returns', ['return.recorded']),
  })
  expect(months.at(-1)).toMatchObject({ deposits: 13_000, withdrawals: 400, earnings: 10, returns: 500 })
  expect(cohorts).toEqual([
    {
      month: asOf.slice(0, 7),
      investors: 2,
      paidIn: 13_000,
      earned: 10,
      withdrawn: 400,
      available: 13_000 + 10 - 400 - 2_600,
      invested: await credited('invested', ['investment.approved']),
    },
  ])
  const later = await cashFlow()
  expect([later.cohortsAsOf, later.asOf > asOf]).toEqual([cohortsAsOf, true])
})

test('[N-01] concentration ranks investors by what is owed to them', async () => {
  const { concentration } = await cashFlow()
  const [most, all] = [await owedTo(ines), (await owedTo(ines)) + (await owedTo(omar))]
  expect(concentration).toEqual({
    owed: all,
    investors: 2,
    largest: [
      { investors: 1, amount: most },
      { investors: 10, amount: all },
      { investors: 100, amount: all },
    ],
    plans: [
      { plan: 'Enthusiast', investments: 1, amount: 2_000 },
      { plan: 'Basic', investments: 1, amount: 600 },
    ],
  })
})

test('[N-01] principal is due in the week of its ending date, once, and added up', async () => {
  const { rows } = await world.ownerPool.query<{ ending_at: Date; amount_cents: bigint }>(
    `SELECT ending_at, amount_cents FROM app.investments WHERE status = 'active'`,
  )
  const { weeks, ended, later, withdrawals } = await cashFlow()
  expect(withdrawals).toEqual({ pending: 300, approved: 0 })
  expect(ended).toEqual({ investments: 0, amount: 0 })
  expect(later).toEqual({ investments: 0, amount: 0 })
  const weekMs = 7 * 86_400_000
  let due = 300
  for (const week of weeks) {
    const start = Date.parse(week.from)
    const within = rows.filter(({ ending_at: at }) => +at >= start && +at < start + weekMs)
    const amount = within.reduce((sum, row) => sum + Number(row.amount_cents) / 100, 0)
    due += amount
    expect(week).toEqual({ from: week.from, investments: within.length, amount, due })
  }
  expect([weeks.length, due]).toEqual([26, 2_900])
})

test('[N-01, T-06] coins without a reading count as nothing, and say so', async () => {
  const { held, exceeds, weeks } = await cashFlow()
  expect(held.known).toBe(0)
  expect(held.coins.map(({ amount, unknown }) => [amount, unknown])).toContainEqual([null, 'no_reading'])
  expect(exceeds.due).toEqual({ now: true, week: weeks[0]!.from, missing: 300 })
})

/** Stores what a network says of the watched addresses: so many dollars of USDT. */
async function hold(dollars: bigint) {
  const chain = scriptedChain().chain
  const balances = async () => new Map([['USDT' as const, dollars * 1_000_000n]])
  await readCoverage(world.services, sendersOf, rail =>
    rail === 'ethereum' ? { ...chain, balances } : undefined,
  )
}

test('[N-01, T-06] says in which week the sum due exceeds the coins held', async () => {
  await hold(500n)
  const { held, exceeds, weeks } = await cashFlow()
  const usdt = held.coins.find(({ asset }) => asset === 'USDT')!
  expect(usdt).toMatchObject({ unknown: null, amountCrypto: '500.000000' })
  expect(held.known).toBe(usdt.amount)
  const first = weeks.find(({ due }) => due > held.known)!
  expect(exceeds.due).toEqual({ now: false, week: first.from, missing: first.due - held.known })

  await hold(4_000n)
  const enough = await cashFlow()
  expect(enough.exceeds.due).toBeNull()
  // Investors may withdraw what is available at any time.
  const missing = 300 + enough.available - enough.held.known
  expect(enough.exceeds.withAvailable).toEqual({ now: true, week: enough.weeks[0]!.from, missing })
})

test('[N-01] money on hold for a pending investment can be withdrawn too', async () => {
  const before = await cashFlow()
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, ines, { body })
  const after = await cashFlow()
  expect(after).toMatchObject({ available: before.available - 500, onHold: before.onHold + 500 })
  expect(after.exceeds.withAvailable).toEqual(before.exceeds.withAvailable)
  await world.call(cancelInvestment, ines, { params: { id: data._id } })
})

test('[N-01, T-06] coins above what the books hold are not counted', async () => {
  await hold(1_000_000n)
  const { held } = await cashFlow()
  const { data } = await world.call(chainOverview, world.admin)
  const inBooks = data.assets.find(({ asset }) => asset === 'USDT')!.inBooksUsd!
  expect(held.coins.find(({ asset }) => asset === 'USDT')!.amount).toBe(inBooks)
  expect(inBooks).toBeLessThan(1_000_000)
})

test('[N-01] the file has the same figures, for staff who may see them', async () => {
  const download = (who: Person) =>
    world.app.inject({
      method: 'GET',
      url: addressOf(cashFlowCsv, {}),
      headers: { authorization: `Bearer ${world.tokenOf(who)}` },
    })
  const { weeks, concentration } = await cashFlow()
  const rows = parseCsv((await download(world.admin)).body.slice(1))
  expect(rows).toContainEqual(['Week', weeks.at(-1)!.from, 'Due in total', '2900.00'])
  expect(rows).toContainEqual(['Owed', 'largest 1', 'USD', concentration.largest[0]!.amount.toFixed(2)])
  expect((await download(ines)).statusCode).toBe(403)
  expect((await world.call(getCashFlow, ines)).code).toBe('forbidden')
})

test('[N-01, T-06] an old reading is no comfort', async () => {
  world.clock.pass({ minutes: heldReadingHours * 60 })
  const { held } = await cashFlow()
  expect(held.known).toBe(0)
  expect(held.coins.find(({ asset }) => asset === 'USDT')?.unknown).toBe('old_reading')
})

test('[N-01] a plan that has ended is due at once', async () => {
  world.clock.pass({ days: 400 })
  const { ended, weeks } = await cashFlow()
  expect(ended).toEqual({ investments: 2, amount: 2_600 })
  expect(weeks[0]!.due).toBe(2_900)
})
