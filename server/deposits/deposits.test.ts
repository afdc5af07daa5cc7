import { beforeAll, describe, expect, test } from 'vitest'
import { samplePrice } from '#server/prices/sample.ts'
import * as call from '#shared/contract/deposits.ts'
import { utcMinute } from '#shared/moments.ts'
import { divideHalfEven, formatDecimal } from '#shared/money.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
})

type Method = 'bitcoin' | 'usdt' | 'ethereum'
const ask = (amount = 100, method: Method = 'usdt', quote?: string) =>
  world.call(call.newDeposit, investor, { body: { method, amount, quote } })
const approve = (id: string, admin = world.admin) =>
  world.call(call.approveDeposit, admin, { params: { id } })
const decline = (id: string, admin = world.admin) =>
  world.call(call.declineDeposit, admin, { params: { id }, body: { reason: 'Nothing has arrived' } })
const quote = (amount = '100', method: Method = 'bitcoin', who = investor) =>
  world.call(call.quoteDeposit, who, { query: { method, amount } })

/** The expected coin amount: USD / rate, rounded half to even to seven decimals. */
function expectedUnits(symbol: 'BTC' | 'ETH', cents: bigint, rateAt: string): string {
  return formatDecimal(divideHalfEven(cents * 10n ** 13n, samplePrice(symbol, new Date(rateAt))), 7)
}

describe('requesting a deposit', () => {
  test('[C-07, D-20] bitcoin requests USD divided by the rate, to seven decimals', async () => {
    const { data, message } = await ask(1234.56, 'bitcoin')
    expect(message).toBe('Deposit plan created, your deposit is currently being processed')
    expect(data).toMatchObject({ status: 'pending', amount: 1234.56, investment: null, settledAt: null })
    expect(data.invoiceId).toMatch(/^DEP-20\d\d-\d{6}$/)
    expect(data.payment.amountCrypto).toBe(`${expectedUnits('BTC', 123_456n, data.payment.rateAt)}0`)
    expect(data.payment.rate).toMatch(/^\d{2,3},\d{3}\.\d\d$/)
    expect(data.payment.uri).toBe(
      `bitcoin:${data.payment.address}?amount=${data.payment.amountCrypto}&label=Probity`,
    )
  })

  test('[C-07, D-20] usdt requests the USD amount and shows the fixed rate 0.99', async () => {
    const { data } = await ask(150.25, 'usdt')
    expect(data.payment).toMatchObject({ asset: 'USDT', amountCrypto: '150.250000', rate: '0.99' })
  })

  test('[C-07, D-20] ethereum requests a converted amount, not as many ether as dollars', async () => {
    const { data } = await ask(100, 'ethereum')
    expect(data.payment.amountCrypto).toBe(`${expectedUnits('ETH', 10_000n, data.payment.rateAt)}00`)
    expect(Number(data.payment.amountCrypto)).toBeLessThan(0.05)
  })

  test('[K-04, C-07] the rate is locked for 15 minutes', async () => {
    const before = world.clock.now().getTime()
    const { data } = await ask(100, 'bitcoin')
    const window = new Date(data.payment.expiresAt).getTime() - new Date(data.createdAt).getTime()
    expect(Math.abs(window - 15 * 60_000)).toBeLessThan(2_000)
    expect(new Date(data.createdAt).getTime()).toBeGreaterThanOrEqual(before)
    const until = utcMinute(new Date(data.payment.expiresAt))
    const coins = data.payment.amountCrypto.replace(/0+$/, '')
    expect(data.label).toBe(
      `Waiting for your payment. Rate locked. Send ${coins} BTC by ${until}. Our team checks this address and credits what arrives.`,
    )
  })

  test('[K-04, C-07] less than $100 is refused and nothing is written', async () => {
    const before = await world.state()
    for (const amount of [99.99, 0.01]) {
      expect(await ask(amount)).toMatchObject({
        status: 400,
        code: 'invalid_input',
        message: 'Minimum deposit is $100',
        fields: { amount: 'Minimum deposit is $100' },
      })
    }
    expect(await world.state()).toBe(before)
  })

  test('[K-02] a method without a configured address is not offered', async () => {
    const { ethereum: _, ...paymentAddresses } = world.services.config.paymentAddresses
    const without = await openWorld({ paymentAddresses })
    const someone = await without.person('Someone Else')
    const refused = await without.call(call.newDeposit, someone, {
      body: { method: 'ethereum', amount: 100 },
    })
    expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(refused.message).toBe('Payments by Ethereum are currently not available')
  })
})

describe('a quote', () => {
  test('[D-18, D-20] locks the figures shown, even if the price has moved since', async () => {
    const shown = await quote('250')
    await world.owner("UPDATE app.price_readings SET usd_e8 = usd_e8 * 2 WHERE symbol = 'BTC'")
    const { quote: seal, ...request } = shown.data
    const created = await ask(250, 'bitcoin', seal)
    expect(created.data.payment).toEqual(request)
    await world.refreshPrices()
  })

  test('[D-18] is valid for the same caller, method and amount only', async () => {
    const other = await world.person('Other Investor')
    const { data } = await quote('250')
    const foreign = await quote('250', 'bitcoin', other)
    const wrong = 'This quote is for another payment'
    expect(await ask(251, 'bitcoin', data.quote)).toMatchObject({ code: 'invalid_input', message: wrong })
    expect(await ask(250, 'ethereum', data.quote)).toMatchObject({ code: 'invalid_input', message: wrong })
    expect(await ask(250, 'bitcoin', foreign.data.quote)).toMatchObject({ message: wrong })
  })

  test('[D-18] without our signature is refused', async () => {
    const { data } = await quote('250')
    const [body = '', seal = ''] = data.quote.split('.')
    const forged = Buffer.from(body, 'base64url').toString().replace('25000', '25001')
    const attempts = [
      `${Buffer.from(forged).toString('base64url')}.${seal}`,
      body,
      `${body}.`,
      `${body}.${seal.slice(2)}`,
      'nonsense',
    ]
    for (const attempt of attempts) {
      expect(await ask(250, 'bitcoin', attempt)).toMatchObject({ message: 'This quote is not valid' })
    }
  })

  test('[K-04, D-18] is refused after 15 minutes', async () => {
    const { data } = await quote('250')
    world.clock.pass({ minutes: 15 })
    expect(await ask(250, 'bitcoin', data.quote)).toMatchObject({ status: 409, code: 'quote_expired' })
    await world.refreshPrices()
  })

  test('[C-30] needs a fresh bitcoin or ethereum rate; usdt continues without one', async () => {
    world.clock.pass({ minutes: 6 })
    const before = await world.state()
    for (const method of ['bitcoin', 'ethereum'] as const) {
      const message = 'The exchange rate is not available right now. Please try again in a few minutes.'
      expect(await ask(100, method)).toMatchObject({ status: 503, code: 'rate_unavailable', message })
      expect(await quote('100', method)).toMatchObject({ status: 503, message })
    }
    expect(await world.state()).toBe(before)
    expect((await ask(100, 'usdt')).status).toBe(200)
    await world.refreshPrices()
  })
})

describe('approving and declining', () => {
  test("[C-14] approving adds the whole amount to the investor's balance, once", async () => {
    const someone = await world.person('Dora Deposit')
    const asked = await world.call(call.newDeposit, someone, { body: { method: 'bitcoin', amount: 320.5 } })
    const approved = await approve(asked.data._id)
    expect(approved.message).toBe('Deposit approved')
    expect(approved.data).toMatchObject({ status: 'paid', label: 'Paid in full and added to the balance.' })
    expect(approved.data.settledAt).not.toBeNull()
    expect(await world.balances(someone)).toEqual({ available: 32_050n, held: 0n, invested: 0n })
  })

  test('[C-14, D3] what the quote rounded goes to the rounding account; each asset balances', async () => {
    const { data } = await ask(777.77, 'bitcoin')
    await approve(data._id)
    const { rows } = await world.database.owner.query(
      `SELECT a.kind, a.asset, e.amount FROM ledger.transactions t
         JOIN ledger.entries e ON e.transaction_id = t.id JOIN ledger.accounts a ON a.id = e.account_id
        WHERE t.reference_id = $1 ORDER BY e.line`,
      [data._id],
    )
    const sum = (asset: string, kind?: string) =>
      rows
        .filter(row => row.asset === asset && (kind === undefined || row.kind === kind))
        .reduce((total, row) => total + row.amount, 0n)
    expect(sum('BTC')).toBe(0n)
    expect(sum('USD')).toBe(0n)
    expect(-sum('BTC', 'custody')).toBe(BigInt(data.payment.amountCrypto.replace(/^0*\.?0*|\./g, '')))
    const rate = samplePrice('BTC', new Date(data.payment.rateAt))
    expect(sum('BTC', 'exchange')).toBe(divideHalfEven(77_777n * 10n ** 14n, rate))
    expect(sum('USD', 'available')).toBe(77_777n)
  })

  test('[C-14, S-04] a decided deposit is not decided again, and nothing changes', async () => {
    const [paid, declined] = [await ask(), await ask()]
    await approve(paid.data._id)
    expect((await decline(declined.data._id)).data).toMatchObject({
      status: 'declined',
      declineReason: 'Nothing has arrived',
      label: 'Declined: Nothing has arrived',
    })
    const before = await world.state()
    for (const [id, message] of [
      [paid.data._id, 'This deposit is already paid. Only pending deposits can be approved.'],
      [
        declined.data._id,
        'This deposit is already declined. If its payment arrived after all, enter when it did.',
      ],
    ] as const) {
      expect(await approve(id)).toMatchObject({ status: 409, code: 'wrong_state', message })
      expect(await decline(id)).toMatchObject({ status: 409, code: 'wrong_state' })
    }
    expect(await world.state()).toBe(before)
  })

  test('[C-14] admins cannot approve their own deposit', async () => {
    const own = await world.call(call.newDeposit, world.admin, { body: { method: 'usdt', amount: 100 } })
    const before = await world.state()
    expect(await approve(own.data._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world.state()).toBe(before)
    expect((await approve(own.data._id, world.secondAdmin)).status).toBe(200)
  })

  test('[C-14] an unknown deposit is not found', async () => {
    expect(await approve('019aa000-0000-7000-8000-000000000000')).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('[C-14, B-03] of 50 parallel approvals one settles, and the balance rises once', async () => {
    const someone = await world.person('Petra Parallel')
    const { data } = await world.call(call.newDeposit, someone, { body: { method: 'usdt', amount: 500 } })
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(data._id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'wrong_state')).toHaveLength(49)
    expect((await world.balances(someone)).available).toBe(50_000n)
  })

  test('[S-04] of approve and decline at the same time one wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const someone = await world.person(`Racer ${round}`)
      const { data } = await world.call(call.newDeposit, someone, { body: { method: 'usdt', amount: 100 } })
      const [yes, no] = await Promise.all([approve(data._id), decline(data._id, world.secondAdmin)])
      expect([yes.status, no.status].toSorted()).toEqual([200, 409])
      expect((await world.balances(someone)).available).toBe(yes.status === 200 ? 10_000n : 0n)
    }
  })
})

describe('lists', () => {
  test("[C-22, C-23] list one's own deposits newest first; staff see all, with names", async () => {
    const [lena, max] = [await world.person('Lena List'), await world.person('Max List')]
    const made: string[] = []
    for (const who of [lena, max, lena]) {
      const { data } = await world.call(call.newDeposit, who, { body: { method: 'usdt', amount: 100 } })
      made.push(data._id)
    }
    const own = await world.call(call.listOwnDeposits, lena)
    expect(own.data.map(deposit => deposit._id)).toEqual([made[2], made[0]])
    expect(own.page).toEqual({ nextCursor: null, total: 2 })
    const all = await world.call(call.listDeposits, world.admin, { query: { limit: 3 } })
    expect(all.data.map(deposit => deposit._id)).toEqual(made.toReversed())
    expect(all.data.map(deposit => deposit.userName)).toEqual(['Lena List', 'Max List', 'Lena List'])
    expect(all.page?.nextCursor).not.toBeNull()
    expect(all.page?.total).toBeGreaterThan(3)
  })

  test('[C-22] pages by cursor make up the whole list', async () => {
    const pia = await world.person('Pia Pages')
    for (let n = 0; n < 7; n += 1) {
      await world.call(call.newDeposit, pia, { body: { method: 'usdt', amount: 100 + n } })
    }
    const whole = await world.call(call.listOwnDeposits, pia)
    const seen: number[] = []
    let cursor: string | undefined
    do {
      const { data, page } = await world.call(call.listOwnDeposits, pia, { query: { limit: 3, cursor } })
      seen.push(...data.map(deposit => deposit.amount))
      expect(page?.total).toBe(7)
      cursor = page?.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(whole.data.map(deposit => deposit.amount))
    expect(seen).toEqual([106, 105, 104, 103, 102, 101, 100])
  })

  test('[C-23] searched by name, number and method, and narrowed to a status', async () => {
    const { data: listed } = await world.call(call.listDeposits, world.admin, { query: { q: 'pia pages' } })
    expect(listed).toHaveLength(7)
    const one = listed[0]!
    const found = (q: string) =>
      world.call(call.listDeposits, world.admin, { query: { q } }).then(({ data }) => data)
    expect(await found(one.invoiceId)).toHaveLength(1)
    expect(await found(one._id)).toHaveLength(1)
    expect(await found(one.user)).toHaveLength(7)
    expect(await found('100%')).toHaveLength(0)
    expect(await found('_')).toHaveLength(0)
    const paid = await world.call(call.listDeposits, world.admin, { query: { status: 'paid' } })
    expect(new Set(paid.data.map(deposit => deposit.status))).toEqual(new Set(['paid']))
  })

  test('[C-23] an unknown status and a foreign cursor are refused', async () => {
    const list = (query: object) => world.call(call.listDeposits, world.admin, { query })
    expect(await list({ status: 'gone' })).toMatchObject({
      status: 400,
      message: 'Status must be one of pending, paid, unpaid, declined, cancelled, differing, open',
    })
    for (const cursor of ['nonsense', 'AAAA', '%00']) {
      expect(await list({ cursor })).toMatchObject({ status: 400, message: 'Cursor is not valid' })
    }
  })
})
