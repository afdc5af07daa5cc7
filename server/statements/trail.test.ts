import { beforeAll, expect, test } from 'vitest'
import type { CallDefinition } from '#shared/contract/define.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { getEarning } from '#shared/contract/earnings.ts'
import type { Trail } from '#shared/contract/entities.ts'
import {
  approveInvestment,
  closeInvestment,
  getInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import {
  approveWithdrawal,
  getWithdrawal,
  newWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** The details of the four kinds of records: their history and postings. */
let world: World
let investor: Person
const ids = { deposit: '', investment: '', withdrawal: '', earning: '' }
const calls = {
  deposit: getDeposit,
  investment: getInvestment,
  withdrawal: getWithdrawal,
  earning: getEarning,
} satisfies Record<keyof typeof ids, CallDefinition>
const kinds = Object.keys(calls) as (keyof typeof calls)[]
const transactionId = 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16'

beforeAll(async () => {
  world = await openWorld()
  const { admin, call } = world
  investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000n)
  const usdt = { method: 'usdt', plan: 'Enthusiast', amount: 1000 } as const
  const asked = (await call(newInvestment, investor, { body: usdt })).data
  ids.investment = asked._id
  ids.deposit = asked.deposit!._id
  await call(approveInvestment, admin, { params: { id: asked._id } })
  for (const [amount, source, realisedAt] of [
    [30, 'Rent of May', '2026-05-31'],
    [100, 'Rent of June', '2026-06-30'],
  ] as const) {
    const body = { amount, source, realisedAt, evidence: `https://example.com/${realisedAt}.pdf` }
    await call(newReturn, admin, { body })
  }
  ids.earning = await world.earn(investor, 4_250n, { note: 'For June' })
  await call(closeInvestment, admin, { params: { id: asked._id }, body: { reason: 'Closed early' } })
  const payout = {
    amount: 300,
    wallet: 'Bitcoin (BTC)',
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  }
  ids.withdrawal = (await call(newWithdrawal, investor, { body: payout as never })).data._id
  await call(approveWithdrawal, admin, { params: { id: ids.withdrawal } })
  await call(payWithdrawal, world.secondAdmin, { params: { id: ids.withdrawal }, body: { transactionId } })
})

async function detail(kind: keyof typeof calls, who: Person) {
  const answer = await world.call(calls[kind] as typeof getWithdrawal, who, { params: { id: ids[kind] } })
  expect(answer.status, answer.message).toBe(200)
  return answer.data as unknown as Trail
}

const steps = ({ history }: Trail) => history.map(step => [step.action, step.actor])
const postings = ({ entries }: Trail) => entries.map(line => [line.description, line.account, line.amount])

test('[C-27] an investment shows its payment, earnings and postings in order', async () => {
  const investment = await detail('investment', investor)
  expect(steps(investment)).toEqual([
    ['Investment requested', investor.name],
    ['Investment approved', 'The firm'],
    ['Earning added', 'The firm'],
    ['Earning approved', 'The firm'],
    ['Investment closed', 'The firm'],
  ])
  expect(postings(investment)).toEqual([
    ['Payment received and invested', 'available', 1000],
    ['Payment received and invested', 'available', -1000],
    ['Payment received and invested', 'invested', 1000],
    ['Earning', 'available', 42.5],
    ['Investment closed, principal returned', 'invested', -1000],
    ['Investment closed, principal returned', 'available', 1000],
  ])
})

test('a deposit that funds an investment shows its postings and who settled it', async () => {
  const deposit = await detail('deposit', investor)
  expect(deposit).toMatchObject({ status: 'paid', investmentInvoiceId: expect.stringMatching(/^INV-/) })
  expect(steps(deposit)).toEqual([
    ['Investment requested', investor.name],
    ['Investment approved', 'The firm'],
    ['Investment closed', 'The firm'],
  ])
  expect(postings(deposit).map(([what]) => what)).toEqual(Array(3).fill('Payment received and invested'))
})

test('a plain deposit shows its posting', async () => {
  const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 150 } })
  const { data: deposit } = await world.call(getDeposit, investor, { params: { id: data._id } })
  expect(deposit).toMatchObject({ investmentInvoiceId: null, entries: [] })
  expect(steps(deposit)).toEqual([['Deposit requested', investor.name]])
})

test('a withdrawal shows its hold, approval, payment and transaction', async () => {
  const withdrawal = await detail('withdrawal', investor)
  expect(steps(withdrawal)).toEqual([
    ['Withdrawal requested', investor.name],
    ['Withdrawal approved', 'The firm'],
    ['Withdrawal paid', 'The firm'],
  ])
  expect(postings(withdrawal)).toEqual([
    ['Held for a withdrawal', 'available', -300],
    ['Held for a withdrawal', 'held', 300],
    ['Withdrawal paid', 'held', -300],
  ])
  expect(withdrawal.entries.at(-1)?.note).toBe(transactionId)
})

test('[B-04] an earning shows the returns that paid it, to the cent, with evidence', async () => {
  const earning = await detail('earning', investor)
  expect(earning).toMatchObject({
    amount: 42.5,
    returns: [
      {
        amount: 30,
        source: 'Rent of May',
        realisedAt: '2026-05-31',
        evidence: 'https://example.com/2026-05-31.pdf',
        evidenceKind: 'link',
      },
      {
        amount: 12.5,
        source: 'Rent of June',
        realisedAt: '2026-06-30',
        evidence: 'https://example.com/2026-06-30.pdf',
        evidenceKind: 'link',
      },
    ],
  })
  expect(steps(earning)).toEqual([
    ['Earning added', 'The firm'],
    ['Earning approved', 'The firm'],
  ])
  expect(postings(earning)).toEqual([['Earning', 'available', 42.5]])
})

test.each(kinds)('a %s shows an investor no name or id of staff', async kind => {
  const text = JSON.stringify(await detail(kind, investor))
  for (const { id, name, email } of [world.admin, world.secondAdmin]) {
    for (const mark of [id, name, email]) expect(text).not.toContain(mark)
  }
  expect(JSON.stringify(await detail(kind, world.admin))).toContain(world.admin.name)
})

test.each(kinds)("[C-27] refuses another user's %s like an unknown one", async kind => {
  const other = await world.person('Oscar Other')
  const absent = '019a0000-0000-7000-8000-000000000000'
  const ask = (who: Person, id: string) =>
    world.call(calls[kind] as typeof getWithdrawal, who, { params: { id } })
  const theirs = await ask(other, ids[kind])
  expect(theirs).toMatchObject({
    status: 403,
    code: 'forbidden',
    message: `You can only see your own ${kind}s`,
  })
  expect(await ask(other, absent)).toMatchObject({ status: 403, message: theirs.message })
  expect(await ask(world.admin, absent)).toMatchObject({
    status: 404,
    message: expect.stringMatching(new RegExp(`^${kind} not found$`, 'i')),
  })
})
