import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import { expireDeposits } from '#server/deposits/expire.ts'
import { newId } from '#server/platform/id.ts'
import { me } from '#shared/contract/accounts.ts'
import { newAddress } from '#shared/contract/addresses.ts'
import * as cancelling from '#shared/contract/cancelling.ts'
import * as console from '#shared/contract/console.ts'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import * as deposits from '#shared/contract/deposits.ts'
import * as earnings from '#shared/contract/earnings.ts'
import * as investments from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import * as withdrawals from '#shared/contract/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
/** Here earnings need a second admin. */
let strict: World
let support: Person
beforeAll(async () => {
  world = await openWorld()
  strict = await openWorld({ earningsSecondApproval: true })
  support = await world.person('Sue Support', 'support')
})

const wallet = 'Bitcoin (BTC)'
const walletAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const otherAddress = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const reason = 'The owner says that someone else knows their password'

/** An investor with a record in every state that an action starts from. */
async function everyState({ person, fund, call, admin }: World) {
  const investor = await person('Ines Investor')
  await fund(investor, 1_000_000n)
  const asked = async <C extends CallDefinition>(of: C, body: object) => {
    const { data, message } = await call(of, investor, { body } as unknown as CallInput<C>)
    if (!data) throw new Error(message)
    return (data as unknown as { _id: string })._id
  }
  const invest = (method: string) => asked(investments.newInvestment, { method, plan: 'Basic', amount: 500 })
  const withdraw = () => asked(withdrawals.newWithdrawal, { amount: 100, wallet, walletAddress })
  const of = (id: string) => ({ params: { id } })
  const active = await invest('balance')
  await call(investments.approveInvestment, admin, of(active))
  const approved = await withdraw()
  await call(withdrawals.approveWithdrawal, admin, of(approved))
  const recorded = { amount: 100, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' }
  await call(newReturn, admin, { body: recorded })
  const earning = await call(earnings.addEarning, admin, {
    params: { userId: investor.id },
    body: { amount: 5 },
  })
  return {
    investor,
    active,
    approved,
    earning: earning.data[0]!._id,
    deposit: await asked(deposits.newDeposit, { method: 'usdt', amount: 150 }),
    held: await invest('balance'),
    awaited: await invest('usdt'),
    withdrawal: await withdraw(),
  }
}

const freeze = (who: Person, by: Person = support, of: World = world) =>
  of.call(console.freezeUser, by, { params: { id: who.id }, body: { reason } })
const unfreeze = (who: Person, by: Person = support) =>
  world.call(console.unfreezeUser, by, { params: { id: who.id }, body: { reason: 'Identity checked' } })

describe('what the owner cannot do', () => {
  let investor: Person
  let records: Awaited<ReturnType<typeof everyState>>
  beforeAll(async () => {
    records = await everyState(world)
    investor = records.investor
    expect(await freeze(investor)).toMatchObject({ status: 200, message: 'Account frozen' })
  })

  const requests: [string, CallDefinition, object][] = [
    ['a quote', deposits.quoteDeposit, { query: { method: 'usdt', amount: '150' } }],
    ['a deposit', deposits.newDeposit, { body: { method: 'usdt', amount: 150 } }],
    [
      'an investment by coin',
      investments.newInvestment,
      { body: { method: 'usdt', plan: 'Basic', amount: 500 } },
    ],
    [
      'an investment from the balance',
      investments.newInvestment,
      { body: { method: 'balance', plan: 'Basic', amount: 500 } },
    ],
    ['a withdrawal', withdrawals.newWithdrawal, { body: { amount: 10, wallet, walletAddress } }],
    [
      'a withdrawal to a new address',
      withdrawals.newWithdrawal,
      { body: { amount: 10, wallet, walletAddress: otherAddress } },
    ],
    ['a new address', newAddress, { body: { wallet, address: otherAddress } }],
  ]
  test.each(requests)(
    '[N-12] refuses the owner %s, saying whom to contact and not why',
    async (_what, of, input) => {
      const before = await world.state()
      const answer = await world.call(of, investor, input as never, { idempotencyKey: crypto.randomUUID() })
      expect(answer).toMatchObject({ status: 409, code: 'account_frozen' })
      expect(answer.message).toContain(sampleFirm.supportEmail)
      expect(answer.message).not.toContain(reason)
      expect(await world.state()).toBe(before)
    },
  )

  const cancels: [string, CallDefinition, () => string][] = [
    ['a deposit', cancelling.cancelDeposit, () => records.deposit],
    ['an investment paid from the balance', cancelling.cancelInvestment, () => records.held],
    ['an investment that awaits its payment', cancelling.cancelInvestment, () => records.awaited],
    ['a withdrawal', cancelling.cancelWithdrawal, () => records.withdrawal],
  ]
  test.each(cancels)('[N-12] refuses the owner the cancelling of %s', async (_what, of, id) => {
    const before = await world.state()
    const answer = await world.call(of, investor, { params: { id: id() } } as never)
    expect(answer).toMatchObject({ status: 409, code: 'account_frozen' })
    expect(answer.message).toContain(sampleFirm.supportEmail)
    expect(await world.state()).toBe(before)
  })

  test('[N-12] offers the owner no cancelling of a pending deposit', async () => {
    const { data } = await world.call(deposits.getDeposit, investor, { params: { id: records.deposit } })
    expect(data).toMatchObject({ status: 'pending', canCancel: false })
  })

  test('[N-12] a request refused by the freeze succeeds with the same key afterwards', async () => {
    const options = { idempotencyKey: crypto.randomUUID() }
    const body = { amount: 10, wallet, walletAddress } as const
    const ask = () => world.call(withdrawals.newWithdrawal, investor, { body }, options)
    expect(await ask()).toMatchObject({ status: 409, code: 'account_frozen' })
    await unfreeze(investor)
    expect(await ask()).toMatchObject({ status: 200 })
    await freeze(investor)
  })

  test('[N-12] the owner can still read everything, and other accounts are unaffected', async () => {
    expect(await world.call(me, investor)).toMatchObject({ status: 200, data: { frozen: true } })
    expect(await world.call(statement, investor)).toMatchObject({ status: 200 })
    const other = await world.person('Oscar Other')
    await world.fund(other, 100_000n)
    const withdraw = (who: Person) =>
      world.call(withdrawals.newWithdrawal, who, { body: { amount: 10, wallet, walletAddress } })
    // Sent in parallel, so that they share one statement.
    const answers = await Promise.all([investor, other, investor, other].map(withdraw))
    expect(answers.map(({ status }) => status)).toEqual([409, 200, 409, 200])
  })
})

describe('what nobody can do with it', () => {
  type States = Awaited<ReturnType<typeof everyState>>
  const acts: [string, (of: States) => [CallDefinition, object]][] = [
    ['approve a deposit', ({ deposit }) => [deposits.approveDeposit, { params: { id: deposit } }]],
    ['approve an investment', ({ held }) => [investments.approveInvestment, { params: { id: held } }]],
    [
      'approve an investment with its payment',
      ({ awaited }) => [investments.approveInvestment, { params: { id: awaited } }],
    ],
    [
      'close an investment',
      ({ active }) => [investments.closeInvestment, { params: { id: active }, body: { reason } }],
    ],
    [
      'approve a withdrawal',
      ({ withdrawal }) => [withdrawals.approveWithdrawal, { params: { id: withdrawal } }],
    ],
    [
      'pay a withdrawal',
      ({ approved }) => [
        withdrawals.payWithdrawal,
        { params: { id: approved }, body: { transactionId: 'ab'.repeat(32) } },
      ],
    ],
    [
      'add an earning',
      ({ investor }) => [earnings.addEarning, { params: { userId: investor.id }, body: { amount: 1 } }],
    ],
  ]
  let states: States
  beforeAll(async () => {
    states = await everyState(world)
    await freeze(states.investor)
  })

  test.each(acts)('[N-12, S-04] nobody can %s of a frozen account', async (_what, actOn) => {
    const [of, input] = actOn(states)
    const before = await world.state()
    const answer = await world.call(of, world.secondAdmin, input as never)
    expect(answer).toMatchObject({ status: 409, code: 'account_frozen' })
    expect(answer.message).toMatch(/^This account is frozen/)
    expect(await world.state()).toBe(before)
  })

  test('[N-12, D-10] refuses to approve a pending earning', async () => {
    const { investor, earning } = await everyState(strict)
    const by = await strict.person('Sam Support', 'support')
    await freeze(investor, by, strict)
    const input = { params: { id: earning } }
    expect(await strict.call(earnings.approveEarning, strict.secondAdmin, input)).toMatchObject({
      status: 409,
      code: 'account_frozen',
    })
    const no = { ...input, body: { reason } }
    expect(await strict.call(earnings.declineEarning, strict.admin, no)).toMatchObject({ status: 200 })
  })

  test('[N-12] money can still be released; all is possible again after the freeze', async () => {
    const { investor, deposit, held, awaited, withdrawal } = states
    const total = async () => {
      const { available, held, invested } = await world.balances(investor)
      return available + held + invested
    }
    const before = await total()
    const declined = async (of: CallDefinition, id: string) =>
      (await world.call(of, world.admin, { params: { id }, body: { reason } } as never)).status
    expect(await declined(deposits.declineDeposit, deposit)).toBe(200)
    expect(await declined(investments.declineInvestment, held)).toBe(200)
    expect(await declined(investments.declineInvestment, awaited)).toBe(200)
    expect(await declined(withdrawals.declineWithdrawal, withdrawal)).toBe(200)
    expect(await total()).toBe(before)

    expect(await unfreeze(investor)).toMatchObject({ status: 200, message: 'Account unfrozen' })
    for (const [, actOn] of acts.filter(([what]) => /^(close|pay|add)/.test(what)).toReversed()) {
      const [of, input] = actOn(states)
      expect(await world.call(of, world.secondAdmin, input as never)).toMatchObject({ status: 200 })
    }
  })
})

/** Copies an account's first deposit, as it was before its payment, with the changes of $2. */
const anotherDeposit = `
  INSERT INTO app.deposits
  SELECT (jsonb_populate_record(NULL::app.deposits, to_jsonb(d) || unpaid || $2)).*
    FROM (SELECT * FROM app.deposits WHERE user_id = $1 LIMIT 1) d,
         jsonb_build_object('status', 'pending', 'settled_at', NULL) unpaid`

/** Runs something while another transaction holds an executed, uncommitted statement. */
async function during(
  statement: string,
  values: unknown[],
  act: (commit: () => Promise<unknown>) => Promise<void>,
) {
  const other = await world.database.owner.connect()
  try {
    await other.query('BEGIN')
    await other.query(statement, values)
    await act(() => other.query('COMMIT'))
  } finally {
    await other.query('ROLLBACK')
    other.release()
  }
}

/** Counts the statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await world.database.owner.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0]!.waiting
}

describe('freezing', () => {
  let investor: Person
  beforeEach(async () => {
    investor = await world.person('Frida Frozen')
  })

  test('[N-12] notifies the owner without the reason and audits who and why', async () => {
    await freeze(investor)
    await unfreeze(investor)
    const { data: notices } = await world.call(listNotifications, investor)
    expect(notices.map(({ kind, text }) => [kind, text])).toEqual([
      ['account.unfrozen', 'Your account is active again.'],
      ['account.frozen', 'Your account is frozen.'],
    ])
    expect(JSON.stringify(notices)).not.toContain(reason)
    const { rows: emails } = await world.database.owner.query<{ payload: { to: string; text: string } }>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload ->> 'to' = $1 ORDER BY id`,
      [investor.email],
    )
    expect(emails).toHaveLength(2)
    expect(emails[0]!.payload.text).toContain(sampleFirm.supportEmail)
    expect(JSON.stringify(emails)).not.toContain(reason)
    const { data: log } = await world.call(listAudit, world.admin, { query: { q: investor.id } })
    expect(log.map(({ action, actor, reason }) => [action, actor, reason])).toEqual([
      ['account.unfrozen', support.id, 'Identity checked'],
      ['account.frozen', support.id, reason],
    ])
  })

  test('[N-12] freezes and unfreezes once, also in parallel', async () => {
    const both = await Promise.all([freeze(investor), freeze(investor, world.admin)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await freeze(investor)).toMatchObject({
      code: 'wrong_state',
      message: 'This account is already frozen.',
    })
    const opened = await Promise.all([unfreeze(investor), unfreeze(investor, world.admin)])
    expect(opened.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test("[N-12] refuses to freeze or unfreeze one's own account", async () => {
    expect(await freeze(support)).toMatchObject({ status: 409, code: 'own_request' })
    await freeze(support, world.admin)
    expect(await unfreeze(support)).toMatchObject({ status: 409, code: 'own_request' })
    await unfreeze(support, world.admin)
    expect(await freeze(world.admin)).toMatchObject({ status: 403, code: 'forbidden' })
    expect(
      await world.call(console.endUserSessions, support, { params: { id: world.admin.id } }),
    ).toMatchObject({ status: 403, code: 'forbidden' })
    expect(
      await world.call(console.freezeUser, support, {
        params: { id: crypto.randomUUID() },
        body: { reason },
      }),
    ).toMatchObject({ status: 404, message: 'User not found' })
  })

  test('[B-05, N-12] a freeze waits for actions under way, and later actions wait for it', async () => {
    await world.fund(investor, 100_000n)
    const { data } = await world.call(withdrawals.newWithdrawal, investor, {
      body: { amount: 10, wallet, walletAddress },
    })
    const withdraw = () =>
      world.call(withdrawals.newWithdrawal, investor, { body: { amount: 10, wallet, walletAddress } })
    const approve = () =>
      world.call(withdrawals.approveWithdrawal, world.secondAdmin, { params: { id: data._id } })
    await during(
      anotherDeposit,
      [investor.id, { id: newId(new Date()), invoice_id: 'DEP-A' }],
      async commit => {
        const freezing = freeze(investor)
        await expect.poll(waiting).toBe(1)
        await commit()
        expect(await freezing).toMatchObject({ status: 200 })
      },
    )
    await unfreeze(investor)
    const frozen = `UPDATE app.users SET frozen_at = now(), frozen_by = $2, freeze_reason = 'x'
                     WHERE id = (SELECT id FROM app.users WHERE id = $1 FOR UPDATE)`
    await during(frozen, [investor.id, support.id], async commit => {
      const [asking, approving] = [withdraw(), approve()]
      await expect.poll(waiting).toBe(2)
      await commit()
      expect(await asking).toMatchObject({ status: 409, code: 'account_frozen' })
      expect(await approving).toMatchObject({ status: 409, code: 'account_frozen' })
    })
  })

  test('[B-02, N-12] the database itself refuses, even the owner of its tables', async () => {
    await world.fund(investor, 100_000n)
    const { data } = await world.call(withdrawals.newWithdrawal, investor, {
      body: { amount: 10, wallet, walletAddress },
    })
    const approval = (by: Person) =>
      `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id) VALUES ('${data._id}', '${by.id}')`
    await world.owner(approval(world.admin))
    await freeze(investor)
    for (const statement of [
      `UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = '${data._id}'`,
      approval(world.secondAdmin),
    ]) {
      await expect(world.owner(statement)).rejects.toMatchObject({ code: 'PB911' })
    }
    const deposit = world.database.owner.query(anotherDeposit, [
      investor.id,
      { id: newId(new Date()), invoice_id: 'DEP-B' },
    ])
    await expect(deposit).rejects.toMatchObject({ code: 'PB911' })
    const declined = { params: { id: data._id }, body: { reason } }
    expect(await world.call(withdrawals.declineWithdrawal, world.admin, declined)).toMatchObject({
      status: 200,
    })
  })

  test('[D-18, N-12] pending payments do not expire while frozen and get another day after', async () => {
    const { data } = await world.call(deposits.newDeposit, investor, {
      body: { method: 'usdt', amount: 150 },
    })
    await freeze(investor)
    world.clock.pass({ days: 3 })
    await world.refreshPrices()
    const status = async () =>
      (await world.call(deposits.getDeposit, investor, { params: { id: data._id } })).data.status
    await expireDeposits(world.services)
    expect(await status()).toBe('pending')
    await unfreeze(investor)
    await expireDeposits(world.services)
    expect(await status()).toBe('pending')
    world.clock.pass({ days: 1, minutes: 1 })
    await expireDeposits(world.services)
    expect(await status()).toBe('unpaid')
  })
})
