import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { samplePrice } from '#server/prices/sample.ts'
import * as call from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { approveInvestment, getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listAudit } from '#shared/contract/site.ts'
import { divideHalfEven, formatDecimal, parseDecimal } from '#shared/money.ts'
import { firmBalance } from '#test/support/books.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  await world.refreshPrices()
  investor = await world.person('Ines Investor')
})

type Method = 'bitcoin' | 'usdt' | 'ethereum'
type Receipt = {
  received?: string
  arrivedAt?: string
  transactionId?: string
  rate?: string
  rateSource?: string
}
const ask = async (amount: number, method: Method = 'usdt') =>
  (await world.call(call.newDeposit, investor, { body: { method, amount } })).data
const approve = ({ _id }: { _id: string }, body: Receipt, by = world.admin) =>
  world.call(call.approveDeposit, by, { params: { id: _id }, body })
const weigh = ({ _id }: { _id: string }, query: Receipt) =>
  world.call(call.previewReceipt, world.admin, { params: { id: _id }, query })
const detail = async ({ _id }: { _id: string }) =>
  (await world.call(call.getDeposit, investor, { params: { id: _id } })).data
async function invest(amount: number, plan = 'Beginner') {
  const { data } = await world.call(newInvestment, investor, { body: { method: 'usdt', plan, amount } })
  return { ...data, deposit: data.deposit! }
}
const investment = async (id: string) => (await world.call(getInvestment, investor, { params: { id } })).data
const latestNotice = async () =>
  (await world.call(listNotifications, investor, { query: { limit: 1 } })).data[0]!
const needsReview = async () =>
  (
    await world.call(call.listDeposits, world.admin, { query: { status: 'differing', q: investor.id } })
  ).data.map(({ _id }) => _id)
const balances = () => world.balances(investor)
async function expectSoundBooks() {
  const run = await checkBooks(world.services.pool, world.services.log)
  expect(run.checks.filter(({ faults }) => faults > 0)).toEqual([])
}
const custody = () => firmBalance(world.database.db, 'custody', 'BTC')
const bitcoinAt = (at: string) => samplePrice('BTC', new Date(at))
const satoshis = (text: string) => parseDecimal(text, 8)!
const bitcoin = (units: bigint) => formatDecimal(units, 8)
const inCents = (units: bigint, rateE8: bigint) => divideHalfEven(units * rateE8, 10n ** 14n)
const minutesLater = (moment: string, minutes: number) =>
  new Date(new Date(moment).getTime() + minutes * 60_000).toISOString()

describe('a payment as requested', () => {
  test('[N-06, D5] without details is exactly the requested amount, and needs no review', async () => {
    const deposit = await ask(250.25)
    const { data } = await approve(deposit, {})
    expect(data).toMatchObject({
      status: 'paid',
      amount: 250.25,
      credited: 250.25,
      received: '250.250000',
      deviation: null,
      needsReview: false,
      label: 'Paid in full and added to the balance.',
    })
    expect((await balances()).available).toBe(25_025n)
    expect(await needsReview()).toEqual([])
  })

  test('[D5] in time is what arrived within the window, whenever it is approved', async () => {
    const deposit = await ask(500, 'bitcoin')
    world.clock.pass({ minutes: 300 })
    const arrivedAt = minutesLater(deposit.createdAt, 14)
    const { data } = await approve(deposit, { arrivedAt, received: deposit.payment.amountCrypto })
    expect(data).toMatchObject({ deviation: null, credited: 500, arrivedAt: null })
  })

  test('[D3] a satoshi less than a cent makes no difference', async () => {
    const deposit = await ask(500, 'bitcoin')
    const units = satoshis(deposit.payment.amountCrypto)
    const { data } = await approve(deposit, { received: bitcoin(units - 1n) })
    expect(data.credited).toBeGreaterThanOrEqual(499.99)
    expect((await balances()).available).toBeLessThanOrEqual(50_000n)
    await expectSoundBooks()
  })
})

describe('a payment after a decline', () => {
  const reason = 'Nothing has arrived'
  const decline = ({ _id }: { _id: string }) =>
    world.call(call.declineDeposit, world.admin, { params: { id: _id }, body: { reason } })

  test('[N-06, D5] is credited once staff enter its arrival; the log keeps the decline', async () => {
    const deposit = await ask(250)
    await decline(deposit)
    world.clock.pass({ minutes: 10 })
    const arrivedAt = minutesLater(deposit.createdAt, 9)
    expect((await weigh(deposit, { arrivedAt })).data).toMatchObject({ credited: 250, deviation: null })
    const { data } = await approve(deposit, { arrivedAt })
    expect(data).toMatchObject({
      status: 'paid',
      credited: 250,
      declineReason: null,
      label: 'Paid in full and added to the balance.',
    })
    expect((await balances()).available).toBe(25_000n)
    const { data: lines } = await world.call(listAudit, world.admin, { query: { q: deposit._id } })
    expect(lines.map(line => [line.action, line.reason])).toEqual([
      ['deposit.approved', null],
      ['deposit.declined', reason],
      ['deposit.requested', null],
    ])
    expect(await latestNotice()).toMatchObject({ kind: 'deposit.approved' })
    await expectSoundBooks()
  })

  test('[D5, D6] goes to the balance if its investment was declined', async () => {
    const asked = await invest(600)
    await decline(asked.deposit)
    world.clock.pass({ minutes: 40 })
    const { data } = await approve(asked.deposit, { arrivedAt: minutesLater(asked.createdAt, 30) })
    expect(data).toMatchObject({ status: 'paid', deviation: 'late', credited: 600 })
    expect(await balances()).toEqual({ available: 60_000n, held: 0n, invested: 0n })
    expect(await investment(asked._id)).toMatchObject({ status: 'declined', declineReason: reason })
  })

  test('[S-04] needs an arrival time, and is credited once', async () => {
    const deposit = await ask(250)
    await decline(deposit)
    const before = await world.state()
    const refused = { status: 409, reason: 'already_ended' }
    for (const receipt of [{}, { received: '250' }]) {
      expect(await approve(deposit, receipt)).toMatchObject(refused)
      expect(await weigh(deposit, receipt)).toMatchObject(refused)
    }
    expect(await world.state()).toBe(before)
    const arrivedAt = deposit.createdAt
    const answers = await Promise.all(Array.from({ length: 10 }, () => approve(deposit, { arrivedAt })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await balances()).available).toBe(25_000n)
  })
})

describe('an underpaid or overpaid payment', () => {
  test('[D5] underpaid: is credited at the locked rate and shown everywhere', async () => {
    const deposit = await ask(500)
    const { data } = await approve(deposit, { received: '480.5' })
    const label =
      'Underpaid: received 480.5 USDT instead of 500 USDT, so we credited $480.50 instead of $500.00. Added to the balance.'
    expect(data).toMatchObject({
      status: 'paid',
      amount: 500,
      credited: 480.5,
      deviation: 'underpaid',
      label,
    })
    expect((await balances()).available).toBe(48_050n)
    expect((await detail(deposit)).label).toBe(label)
    expect(await latestNotice()).toMatchObject({
      kind: 'deposit.approved',
      text: `Your deposit ${deposit.invoiceId} of $500.00 was underpaid: $480.50 was credited.`,
      details: [label],
    })
    const { data: lines } = await world.call(statement, investor)
    expect(lines).toMatchObject([{ event: 'deposit.settled', amount: 480.5 }])
    await expectSoundBooks()
  })

  test('[D3, D5] bitcoin: dollars round half to even, the rest goes to the rounding account', async () => {
    const deposit = await ask(500, 'bitcoin')
    const units = satoshis(deposit.payment.amountCrypto) - 12_345n
    const rateE8 = bitcoinAt(deposit.payment.rateAt)
    const before = await custody()
    const { data } = await approve(deposit, { received: bitcoin(units) })
    expect(data.deviation).toBe('underpaid')
    expect((await balances()).available).toBe(inCents(units, rateE8))
    expect((await custody()) - before).toBe(-units)
    await expectSoundBooks()
  })

  test('[D5] overpaid: all of it is credited', async () => {
    const deposit = await ask(500)
    const { data } = await approve(deposit, { received: '620' })
    expect(data).toMatchObject({
      credited: 620,
      deviation: 'overpaid',
      label:
        'Overpaid: received 620 USDT instead of 500 USDT, so we credited $620.00 instead of $500.00. Added to the balance.',
    })
    expect((await balances()).available).toBe(62_000n)
    await expectSoundBooks()
  })

  test('[D6] an underpaid investment is declined, and the money is available', async () => {
    const asked = await invest(600)
    const { data } = await approve(asked.deposit, { received: '599.99' })
    expect(data.label).toBe(
      `Underpaid: received 599.99 USDT instead of 600 USDT, so we credited $599.99 instead of $600.00. Added to the balance. ${asked.invoiceId} was declined.`,
    )
    const reason = 'The payment was underpaid: $599.99 of $600.00. The money is available on the balance.'
    const after = await investment(asked._id)
    expect(after).toMatchObject({ status: 'declined', declineReason: reason })
    const asksFor = { params: { id: asked._id } }
    const german = await world.call(getInvestment, investor, asksFor, { language: 'de' })
    expect(german.data.declineReason?.replaceAll('\u00a0', ' ')).toBe(
      'Die Zahlung war zu niedrig: 599,99 $ von 600,00 $. Das Geld ist im Guthaben verfügbar.',
    )
    expect(after.history.map(({ action }) => action)).toContain('Investment declined')
    expect(await balances()).toEqual({ available: 59_999n, held: 0n, invested: 0n })
    expect(await latestNotice()).toMatchObject({ kind: 'investment.declined' })
    expect((await world.call(approveInvestment, world.admin, { params: { id: asked._id } })).code).toBe(
      'wrong_state',
    )
    await expectSoundBooks()
  })

  test('[D6] an overpaid investment keeps its amount; the rest is available', async () => {
    const asked = await invest(600)
    const { data } = await approve(asked.deposit, { received: '650' })
    expect(data.label).toBe(
      `Overpaid: received 650 USDT instead of 600 USDT, so we credited $650.00 instead of $600.00. $600.00 kept for ${asked.invoiceId}; the other $50.00 added to the balance.`,
    )
    expect(await balances()).toEqual({ available: 5_000n, held: 60_000n, invested: 0n })
    await world.call(approveInvestment, world.admin, { params: { id: asked._id } })
    expect(await balances()).toEqual({ available: 5_000n, held: 0n, invested: 60_000n })
    await expectSoundBooks()
  })

  test('[N-04, D6] approving the investment keeps the excess and refuses an underpayment', async () => {
    const asked = await invest(600)
    const approveIt = (received: string) =>
      world.call(approveInvestment, world.admin, { params: { id: asked._id }, body: { received } })
    const before = await world.state()
    expect(await approveIt('599.99')).toMatchObject({
      status: 409,
      reason: 'not_covered',
    })
    expect(await world.state()).toBe(before)
    expect((await approveIt('601.5')).data.status).toBe('active')
    expect(await balances()).toEqual({ available: 150n, held: 0n, invested: 60_000n })
    expect((await detail(asked.deposit)).label).toBe(
      `Overpaid: received 601.5 USDT instead of 600 USDT, so we credited $601.50 instead of $600.00. $600.00 invested with ${asked.invoiceId}; the other $1.50 added to the balance.`,
    )
    await expectSoundBooks()
  })
})

describe('a late payment', () => {
  const late = async (amount: number) => {
    const deposit = await ask(amount, 'bitcoin')
    world.clock.pass({ minutes: 60 * 7 })
    await world.refreshPrices()
    const arrivedAt = world.clock.now().toISOString()
    world.clock.pass({ minutes: 60 * 20 })
    return { deposit, arrivedAt }
  }

  test('[D5, C-30] is credited at the rate of its arrival, and says so', async () => {
    const { deposit, arrivedAt } = await late(500)
    const { data } = await approve(deposit, { arrivedAt })
    const rateE8 = parseDecimal(data.arrivalRate!, 8)!
    const credited = inCents(satoshis(deposit.payment.amountCrypto), rateE8)
    expect(data).toMatchObject({ deviation: 'late', arrivedAt, amount: 500, needsReview: true })
    expect(data.arrivalRate).not.toBe(deposit.payment.rate)
    expect((await balances()).available).toBe(credited)
    expect(data.label).toMatch(
      /^Late: received at \d{1,2} [A-Z][a-z]{2} 20\d\d, \d\d:\d\d UTC\. 0\.\d+ BTC at the rate of that time, \$\d{2,3},\d{3}\.\d+, credited as \$\d+\.\d\d\. Added to the balance\.$/,
    )
    expect((await latestNotice()).text).toMatch(/ was paid late: \$\d+\.\d\d was credited\.$/)
    await expectSoundBooks()
  })

  test('[D5] without a recorded rate asks staff for the rate and its source', async () => {
    const { deposit } = await late(500)
    const arrivedAt = minutesLater(deposit.payment.expiresAt, 60)
    const before = await world.state()
    const refused = await approve(deposit, { arrivedAt })
    expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(refused.fields?.rate).toMatch(
      /^No rate is on record for .* UTC\. Enter the rate at that time and its source\.$/,
    )
    expect((await approve(deposit, { arrivedAt, rate: '90000' })).fields).toHaveProperty('rateSource')
    expect(
      (await approve(deposit, { arrivedAt, rate: '99999999999', rateSource: 'Kraken' })).fields,
    ).toHaveProperty('rate')
    expect(await world.state()).toBe(before)
    const { data } = await approve(deposit, { arrivedAt, rate: '90000', rateSource: 'Kraken, hourly close' })
    expect(data).toMatchObject({ arrivalRate: '90,000.00', arrivalRateSource: 'Kraken, hourly close' })
    expect((await balances()).available).toBe(
      inCents(satoshis(deposit.payment.amountCrypto), 9_000_000_000_000n),
    )
  })

  test('[D5] with a recorded rate ignores the rate that staff enter', async () => {
    const { deposit, arrivedAt } = await late(500)
    const { data } = await approve(deposit, { arrivedAt, rate: '1', rateSource: 'Nowhere' })
    expect(data.arrivalRateSource).toBe('Sample series, not a market price')
    expect(data.credited).toBeGreaterThan(100)
  })

  test('[D5] after its deadline goes to the balance; usdt is always one to one', async () => {
    const deposit = await ask(300)
    const arrivedAt = minutesLater(deposit.payment.expiresAt, 5)
    world.clock.pass({ minutes: 30 })
    const { data } = await approve(deposit, { arrivedAt, received: '299' })
    expect(data).toMatchObject({ deviation: 'late', credited: 299 })
    expect(data.label).toMatch(
      /^Late: received at .* UTC\. 299 USDT credited as \$299\.00\. Added to the balance\.$/,
    )
  })

  test('an arrival in the future or before the request is refused', async () => {
    const deposit = await ask(300)
    const before = await world.state()
    for (const [minutes, message] of [
      [60, 'The arrival time cannot be in the future.'],
      [-60, 'The arrival time cannot be before the deposit was requested.'],
    ] as const) {
      const arrivedAt = minutesLater(deposit.createdAt, minutes)
      expect(await approve(deposit, { arrivedAt })).toMatchObject({
        status: 400,
        fields: { arrivedAt: message },
      })
    }
    expect(await world.state()).toBe(before)
  })
})

describe('a manual receipt', () => {
  test('[D8] is an amount of the coin, and no more than can be credited', async () => {
    const deposit = await ask(300)
    const before = await world.state()
    for (const received of ['0', '-1', '1e3', '1.1234567', '0x10', ' ', '999999999999', '0.004']) {
      const answer = await approve(deposit, { received })
      expect(answer, received).toMatchObject({ status: 400, code: 'invalid_input' })
      expect(answer.fields, received).toHaveProperty('received')
    }
    expect(await world.state()).toBe(before)
  })

  test('[D5] is previewed without changing anything', async () => {
    const asked = await invest(600)
    const before = await world.state()
    expect((await weigh(asked.deposit, { received: '599' })).data).toMatchObject({
      credited: 599,
      deviation: 'underpaid',
      investment: 'declined',
    })
    expect((await weigh(asked.deposit, {})).data).toMatchObject({
      credited: 600,
      deviation: null,
      investment: 'kept',
    })
    expect(await world.state()).toBe(before)
    await approve(asked.deposit, {})
    expect(await weigh(asked.deposit, {})).toMatchObject({ status: 409, code: 'wrong_state' })
  })

  test('[D5] names its transaction once: a second deposit cannot reuse it', async () => {
    const [first, second] = [await ask(300), await ask(300)]
    const transactionId = 'AB'.repeat(32)
    expect((await approve(first, { transactionId })).data.transactionId).toBe('ab'.repeat(32))
    const before = await world.state()
    expect(await approve(second, { transactionId: 'ab'.repeat(32) })).toMatchObject({
      status: 409,
      code: 'transaction_reused',
    })
    expect(await approve(second, { transactionId: 'https://explorer.example' })).toMatchObject({
      status: 400,
    })
    expect(await world.state()).toBe(before)
  })

  test('[B-05] of two admins who enter different amounts at once, one has an effect', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asked = await invest(600)
      const answers = await Promise.all([
        approve(asked.deposit, { received: '500' }),
        approve(asked.deposit, { received: '700' }, world.secondAdmin),
        world.call(approveInvestment, world.secondAdmin, { params: { id: asked._id } }),
      ])
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
      // Approving the investment after a payment that covers it counts as the second step of the same.
      const paid: Deposit = await detail(asked.deposit)
      expect(answers.slice(0, 2).filter(({ status }) => status === 200)).toHaveLength(
        paid.credited === 600 ? 0 : 1,
      )
    }
    await expectSoundBooks()
  })

  test('[B-06] with the same key is credited once and answered alike', async () => {
    const deposit = await ask(300)
    const send = () =>
      world.call(
        call.approveDeposit,
        world.admin,
        { params: { id: deposit._id }, body: { received: '250' } },
        { idempotencyKey: 'arrived' },
      )
    for (const answer of await Promise.all(Array.from({ length: 5 }, send))) {
      expect(answer).toMatchObject({ status: 200, data: { credited: 250 } })
    }
    expect((await balances()).available).toBe(25_000n)
  })
})

describe('a payment with a deviation', () => {
  test('[N-06, N-12] waits for a review, which the log records', async () => {
    const [exact, short] = [await ask(300), await ask(300)]
    await approve(exact, {})
    await approve(short, { received: '299' })
    expect(await needsReview()).toEqual([short._id])
    const look = (by = world.admin) => world.call(call.reviewDeposit, by, { params: { id: short._id } })
    const answers = await Promise.all([look(), look(world.secondAdmin)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await needsReview()).toEqual([])
    const { data } = await world.call(listAudit, world.admin, { query: { q: short.invoiceId } })
    expect(data.map(({ action }) => action)).toEqual([
      'deposit.reviewed',
      'deposit.approved',
      'deposit.requested',
    ])
    expect(data[1]?.details).toMatchObject({ asked: '$300.00', credited: '$299.00', deviation: 'underpaid' })
    expect(await world.call(call.reviewDeposit, world.admin, { params: { id: exact._id } })).toMatchObject({
      status: 409,
      reason: 'nothing_to_review',
    })
  })

  test('[N-06, D7] cannot be reviewed by its own investor', async () => {
    const own = await world.call(call.newDeposit, world.admin, { body: { method: 'usdt', amount: 300 } })
    const params = { id: own.data._id }
    const approval = { params, body: { received: '299' } }
    expect((await world.call(call.approveDeposit, world.secondAdmin, approval)).status).toBe(200)
    const before = await world.state()
    expect(await world.call(call.reviewDeposit, world.admin, { params })).toMatchObject({
      status: 409,
      code: 'own_request',
    })
    expect(await world.state()).toBe(before)
    expect((await world.call(call.reviewDeposit, world.secondAdmin, { params })).status).toBe(200)
  })
})
