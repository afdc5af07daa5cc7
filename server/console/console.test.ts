import { beforeAll, describe, expect, test } from 'vitest'
import { foldDays } from '#server/ledger/daily.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { signup } from '#shared/contract/accounts.ts'
import * as console from '#shared/contract/console.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { getReturn, listReturnPayments, newReturn } from '#shared/contract/returns.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { clearOfTheHour } from '#test/support/hour.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

const payout = {
  wallet: 'Bitcoin (BTC)',
  walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
} as const
const rent = { source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' }

async function invest(world: World, who: Person, amount: number): Promise<string> {
  const { data } = await world.call(newInvestment, who, {
    body: { method: 'balance', plan: amount < 1_000 ? 'Basic' : 'Enthusiast', amount },
  })
  await world.call(approveInvestment, world.admin, { params: { id: data._id } })
  return data._id
}

async function withdraw(world: World, who: Person, amount: number): Promise<string> {
  const { data } = await world.call(newWithdrawal, who, { body: { amount, ...payout } })
  return data._id
}

async function pay(world: World, id: string): Promise<void> {
  await world.call(approveWithdrawal, world.admin, { params: { id } })
  const body = { transactionId: id.replaceAll('-', '').padStart(64, '0') }
  await world.call(payWithdrawal, world.secondAdmin, { params: { id }, body })
}

describe('the console summary', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  const summary = async () => (await world.call(console.consoleSummary, world.admin)).data

  async function foldedAll(): Promise<boolean> {
    await foldDays(world.database.app)
    const { rows } = await world.database.owner.query<{ all: boolean }>(
      `SELECT folded_upto >= (SELECT max(id) FROM ledger.entries) AS all FROM ledger.daily_fold`,
    )
    return rows[0]!.all
  }

  test('[N-01, D-23] a new firm has zeros and no coverage', async () => {
    const none = { today: 0, thirtyDays: 0, all: 0 }
    expect(await summary()).toMatchObject({
      moneyIn: none,
      moneyOut: none,
      liabilities: { available: 0, held: 0, invested: 0, total: 0 },
      returns: { recorded: 0, paidOut: 0, left: 0 },
      coverage: { assets: 0, liabilities: 0, percent: null },
    })
  })

  test('[N-01, B-03] agrees with the ledger, with or without daily totals, also during writes', async () => {
    await clearOfTheHour()
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 1_000_000n)
    await foldDays(world.database.app)
    await invest(world, investor, 2_000)
    await withdraw(world, investor, 300)
    await pay(world, await withdraw(world, investor, 400))
    await foldDays(world.database.app)
    await world.call(newReturn, world.admin, { body: { amount: 500, ...rent } })
    await world.earn(investor, 12_000n)
    await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 150 } })

    const expected = {
      waiting: {
        deposits: { count: 1, isAtLeast: false },
        withdrawals: { count: 1, isAtLeast: false },
        withdrawalsToPay: { count: 0, isAtLeast: false },
        matured: { count: 0, isAtLeast: false },
      },
      moneyIn: { today: 10_000, thirtyDays: 10_000, all: 10_000 },
      moneyOut: { today: 400, thirtyDays: 400, all: 400 },
      liabilities: { available: 7_420, held: 300, invested: 2_000, total: 9_720 },
      returns: { recorded: 500, paidOut: 120, left: 380 },
      // 10,000 received + 500 recorded - 400 paid.
      coverage: { assets: 10_100, liabilities: 9_720, percent: 103.9 },
    }
    expect(await summary()).toMatchObject(expected)
    for (let again = 0; again < 3; again += 1) {
      await foldDays(world.database.app)
      expect(await summary()).toMatchObject(expected)
    }
    // Transactions in other tests' databases delay the safe horizon for daily totals.
    await expect.poll(foldedAll, { timeout: 50_000 }).toBe(true)
    expect(await summary()).toMatchObject(expected)
    const run = await checkBooks(world.database.app, world.services.log)
    expect(run.checks.find(({ name }) => name === 'days_right')).toMatchObject({ faults: 0 })
    expect(run.checks.find(({ name }) => name === 'days_right')?.examined).toBeGreaterThan(5)

    world.clock.pass({ days: 1 })
    expect(await summary()).toMatchObject({ moneyIn: { today: 0, thirtyDays: 10_000, all: 10_000 } })
    world.clock.pass({ days: 29 })
    expect(await summary()).toMatchObject({ moneyIn: { today: 0, thirtyDays: 0, all: 10_000 } })
  })

  test('[B-03] finds a daily total that differs from the sum of its entries', async () => {
    await world.owner(`UPDATE ledger.daily_totals SET amount = amount + 1 WHERE to_kind = 'payouts'`)
    const silent = { info: () => {}, error: () => {} }
    const run = await checkBooks(world.database.app, silent as never)
    expect(run.checks.filter(({ faults }) => faults > 0).map(({ name }) => name)).toEqual(['days_right'])
  })
})

describe('one account', () => {
  let world: World
  let investor: Person
  let support: Person
  beforeAll(async () => {
    world = await openWorld()
    investor = await world.person('Ines Investor')
    support = await world.person('Sue Support', 'support')
    await world.fund(investor, 1_000_000n)
    await invest(world, investor, 2_000)
    await pay(world, await withdraw(world, investor, 400))
    await withdraw(world, investor, 300)
  })
  const of = () => ({ params: { id: investor.id } })

  test('[N-07] shows the profile, and each balance with the sums behind it', async () => {
    const { data } = await world.call(console.getUser, support, of())
    expect(data).toMatchObject({
      _id: investor.id,
      email: investor.email,
      activeInvestments: 1,
      balance: 7_300,
      freeze: null,
      proofErasedAt: null,
      secondFactorSince: null,
      passkeys: 0,
      referredBy: null,
    })
    expect(data.accounts).toEqual([
      {
        account: 'available',
        balance: 7_300,
        kinds: [
          { kind: 'deposit', in: 10_000, out: 0 },
          { kind: 'investment', in: 0, out: 2_000 },
          { kind: 'withdrawal', in: 0, out: 700 },
        ],
      },
      { account: 'invested', balance: 2_000, kinds: [{ kind: 'investment', in: 2_000, out: 0 }] },
      {
        account: 'held',
        balance: 300,
        kinds: [
          { kind: 'investment', in: 2_000, out: 2_000 },
          { kind: 'withdrawal', in: 700, out: 400 },
        ],
      },
    ])
    for (const { balance, kinds } of data.accounts) {
      expect(balance).toBe(kinds.reduce((sum, kind) => sum + kind.in - kind.out, 0))
    }
  })

  test('[N-07] counts its passkeys without refused ones', async () => {
    const keeper = await world.person('Kim Keeper')
    for (const refused of ['NULL', 'now()']) {
      await world.owner(`
        INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at, refused_at)
        VALUES (uuidv7(), '${keeper.id}', '${refused}'::bytea, '\\x00', 0, '{}', 'Laptop', now(), ${refused})`)
    }
    const { data } = await world.call(console.getUser, support, { params: { id: keeper.id } })
    expect(data.passkeys).toBe(1)
  })

  test('[N-07, N-13] its lists have only its own records, in pages', async () => {
    const other = await world.person('Oscar Other')
    await world.fund(other, 50_000n)
    await withdraw(world, other, 10)
    const query = { user: investor.id, limit: 1 }
    const first = await world.call(console.listUserWithdrawals, support, { query })
    expect(first.page).toMatchObject({ total: 2 })
    const rest = await world.call(console.listUserWithdrawals, support, {
      query: { ...query, cursor: first.page!.nextCursor! },
    })
    expect([...first.data, ...rest.data].map(({ user, amount }) => [user, amount])).toEqual([
      [investor.id, 300],
      [investor.id, 400],
    ])
    const lists = [
      [console.listUserDeposits, 1],
      [console.listUserInvestments, 1],
      [console.listUserEarnings, 0],
      [console.listUserAddresses, 1],
      [console.listUserReferrals, 0],
      [console.listUserSessions, 1],
    ] as const
    for (const [call, count] of lists) {
      const answer = await world.call(call, support, { query: { user: investor.id } })
      expect(answer.data, call.id).toHaveLength(count)
      const unknown = await world.call(call, support, { query: { user: crypto.randomUUID() } })
      expect([unknown.status, unknown.data ?? []], call.id).toEqual(
        call === console.listUserSessions ? [200, []] : [404, []],
      )
    }
  })

  test("[A-15, N-02] shows a referral on both accounts' pages", async () => {
    await world.owner(`UPDATE app.users SET referral_code = 'INES0001' WHERE id = '${investor.id}'`)
    const email = 'rita@probity.test'
    const { data: opened, message } = await world.call(signup, null, {
      body: {
        name: 'Rita Referred',
        email,
        phone: '+61 400 000 001',
        country: 'Australia',
        password: 'correct horse battery',
        referrer: 'INES0001',
      },
    })
    expect(message).toBe('Account created. Enter the code sent to your email')
    const referrals = await world.call(console.listUserReferrals, support, { query: { user: investor.id } })
    expect(referrals.data).toMatchObject([{ _id: opened.user._id, name: 'Rita Referred', email }])
    const { data } = await world.call(console.getUser, support, { params: { id: opened.user._id } })
    expect(data.referredBy).toEqual({ _id: investor.id, name: investor.name })
  })

  test('[N-12] a note has its author and time and cannot be changed, even by the table owner', async () => {
    const note = 'Called: wants to move to another address.\nExplained how.'
    const added = await world.call(console.addUserNote, support, { ...of(), body: { note } })
    expect(added).toMatchObject({
      status: 200,
      message: 'Note added',
      data: { note, author: support.name },
    })
    const { data } = await world.call(console.listUserNotes, world.admin, {
      query: { user: investor.id },
    })
    expect(data).toEqual([added.data])
    for (const statement of [
      `UPDATE app.account_notes SET note = 'x'`,
      `DELETE FROM app.account_notes`,
      `TRUNCATE app.account_notes`,
    ]) {
      await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
      await expect(world.owner(statement)).rejects.toMatchObject({ code: 'PB900' })
    }
    const history = await world.call(console.listUserHistory, world.admin, { query: { user: investor.id } })
    expect(history.data[0]).toMatchObject({ action: 'account.noted', actorName: support.name })
    // The audit log has the note's id, not its text.
    expect(JSON.stringify(history.data)).not.toContain('another address')
  })

  test('[N-12, B-06] a note sent again under its key is stored once, with the same answer', async () => {
    const noted = await world.person('Nina Noted')
    const input = { params: { id: noted.id }, body: { note: 'Once.' } }
    const send = () => world.call(console.addUserNote, support, input, { idempotencyKey: 'one-note' })
    const [first, ...others] = await Promise.all([send(), send(), send()])
    expect(first).toMatchObject({ status: 200, data: { note: 'Once.' } })
    for (const other of others) expect(other.data).toEqual(first.data)
    const { data } = await world.call(console.listUserNotes, support, { query: { user: noted.id } })
    expect(data).toEqual([first.data])
  })

  test('[N-12] staff end one session or all, at once and audited', async () => {
    const owner = await world.person('Olga Open')
    const again = await world.signIn(owner)
    const open = async () =>
      (await world.call(console.listUserSessions, support, { query: { user: owner.id } })).data
    expect(await open()).toHaveLength(2)
    const ended = await world.call(console.endUserSession, support, {
      params: { id: owner.id, session: again.caller.sessionId },
    })
    expect(ended).toMatchObject({ status: 200, message: 'Session ended' })
    expect(await world.call(newDeposit, again, { body: { method: 'usdt', amount: 150 } })).toMatchObject({
      status: 401,
      code: 'token_invalid',
    })
    // A session of another account is not ended.
    expect(
      await world.call(console.endUserSession, support, {
        params: { id: investor.id, session: owner.caller.sessionId },
      }),
    ).toMatchObject({ status: 404 })
    expect(await world.call(console.endUserSessions, support, { params: { id: owner.id } })).toMatchObject({
      status: 200,
      data: { ended: 1 },
    })
    expect(await open()).toEqual([])
    const history = await world.call(console.listUserHistory, world.admin, { query: { user: owner.id } })
    expect(history.data.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['session.all_ended', support.name],
      ['session.ended', support.name],
    ])
  })
})

describe('postings', () => {
  let world: World
  let investor: Person
  beforeAll(async () => {
    world = await openWorld()
    investor = await world.person('Ines Investor')
  })
  const postings = async (id: string) =>
    (await world.call(console.listPostings, world.admin, { params: { id } })).data

  test('[N-10] a deposit has both sides: the coins and their value', async () => {
    const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 1_000 } })
    expect(await postings(data._id)).toEqual([])
    await world.call(approveDeposit, world.admin, { params: { id: data._id } })
    expect(await postings(data._id)).toMatchObject([
      {
        event: 'deposit.settled',
        description: 'Deposit received',
        actorName: world.admin.name,
        legs: [
          { from: 'Coins in custody', to: 'Exchange', asset: 'USDT', amount: '1000.000000' },
          { from: 'Exchange', to: `Available, ${investor.name}`, asset: 'USD', amount: '1000.00' },
        ],
      },
    ])
  })

  test('[N-10] an investment has its payment and earnings, with both sides', async () => {
    const owner = await world.person('Iris Invested')
    const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
    const { data: paid } = await world.call(newInvestment, owner, { body })
    await world.call(approveInvestment, world.admin, { params: { id: paid._id } })
    await world.call(newReturn, world.admin, { body: { ...rent, amount: 3 } })
    await world.earn(owner, 300n)
    const events = await postings(paid._id)
    expect(events.map(({ event }) => event)).toEqual(['investment.funded', 'earning.paid'])
    expect(events[0]!.legs).toMatchObject([
      { from: 'Coins in custody', to: 'Exchange', asset: 'USDT' },
      { from: 'Exchange', to: `Available, ${owner.name}`, amount: '500.00' },
      { from: `Available, ${owner.name}`, to: `In plans, ${owner.name}`, amount: '500.00' },
    ])
    expect(events[1]!.legs).toMatchObject([
      { from: 'Recorded returns', to: `Available, ${owner.name}`, asset: 'USD', amount: '3.00' },
    ])
  })

  test('[N-11] a return lists whom it paid, how much, and what is left', async () => {
    await invest(world, investor, 500)
    const recorded = async (amount: number, source: string) =>
      (
        await world.call(newReturn, world.admin, {
          body: { ...rent, amount, source, realisedAt: source === 'Rent' ? '2026-03-01' : '2026-04-01' },
        })
      ).data._id
    const [first, second] = [await recorded(100, 'Rent'), await recorded(50, 'Dividend')]
    const earning = await world.earn(investor, 12_000n)
    const paidBy = async (returnId: string) =>
      (await world.call(listReturnPayments, world.admin, { query: { returnId } })).data
    expect(await paidBy(first)).toMatchObject([
      { _id: earning, user: investor.id, userName: investor.name, amount: 100, earning: 120 },
    ])
    expect(await paidBy(second)).toMatchObject([{ _id: earning, amount: 20, earning: 120 }])
    const detail = await world.call(getReturn, world.admin, { params: { id: second } })
    expect(detail.data).toMatchObject({ amount: 50, paidOut: 20, left: 30 })
    expect(detail.data.history).toMatchObject([{ action: 'Return recorded', actor: world.admin.name }])
    expect(await postings(second)).toMatchObject([
      { legs: [{ from: 'Returns received', to: 'Recorded returns', amount: '50.00' }] },
    ])
    expect(await postings(earning)).toMatchObject([
      { legs: [{ from: 'Recorded returns', to: `Available, ${investor.name}`, amount: '120.00' }] },
    ])
    expect(await world.call(getReturn, world.admin, { params: { id: crypto.randomUUID() } })).toMatchObject({
      status: 404,
      message: 'There is no such return',
    })
  })
})
