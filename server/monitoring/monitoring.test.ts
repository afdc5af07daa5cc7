import { beforeEach, describe, expect, test } from 'vitest'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { consoleSummary, getUser } from '#shared/contract/console.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { caseReport, decideCase, getCase, listCases } from '#shared/contract/monitoring.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { approveProposal, listProposals } from '#shared/contract/proposals.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import type { CaseDecision } from '#shared/monitoring.ts'
import { parseCsv } from '#test/support/csv.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { depositedAt } from '#test/support/past-deposits.ts'
import { settingsBody } from '#test/support/settings.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { findings } from './rules.ts'
import { watchMovements } from './watch.ts'

/** Cases of movements that staff look into. */
let world: World
let investor: Person
let support: Person
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
  investor = await world.person('Ines Investor')
  support = await world.person('Sue Support', 'support')
})
const { ask } = withdrawalsIn(() => world)

const watch = () => watchMovements(world.services)
/** The filter of all cases, once the rules have run. */
const watched = async () => {
  await watch()
  return {}
}
const cases = async (query: object = {}) =>
  (await world.call(listCases, world.admin, { query: { sort: 'found', ...query } })).data
const detail = async (id: string) => (await world.call(getCase, world.admin, { params: { id } })).data
const decide = async (
  id: string,
  decision: CaseDecision = 'explained',
  { by = support, newest }: { by?: Person; newest?: string } = {},
) => {
  const body = { decision, newest: newest ?? (await detail(id)).moved[0]!._id, reason: 'Sold a house' }
  return world.call(decideCase, by, { params: { id }, body })
}
const fundedBefore = async (cents: bigint, age: string, who = investor) => {
  await allowPostingsWithoutRecords(world.database)
  await depositedAt(world, `now() - interval '${age}'`, who, cents)
}
/** The case that one large deposit makes. */
const found = async () => {
  await world.fund(investor, 6_000_000n)
  await watch()
  return (await cases())[0]!
}

describe('a case is opened', () => {
  test('for deposits of much money in seven days, together', async () => {
    await fundedBefore(2_000_000n, '6 days 23 hours')
    expect(await watch()).toBe(0)
    await world.fund(investor, 3_000_000n)
    expect(await watch()).toBe(1)
    expect(await cases()).toMatchObject([
      {
        user: investor.id,
        userName: 'Ines Investor',
        rule: 'turnover',
        looksFor: 'Deposits, or withdrawals, of $50,000 or more in 7 days.',
        kind: 'deposit',
        amount: 50_000,
        movements: 2,
        status: 'open',
        decidedBy: null,
      },
    ])
  })

  test('for no deposits that are further apart', async () => {
    await fundedBefore(3_000_000n, '7 days 1 hour')
    await world.fund(investor, 3_000_000n)
    expect(await watch()).toBe(0)
  })

  test('for several amounts just below the reporting limit', async () => {
    await world.fund(investor, 999_999n)
    await world.fund(investor, 800_000n)
    // Neither is just below.
    await world.fund(investor, 1_000_000n)
    await world.fund(investor, 799_999n)
    expect(await watch()).toBe(0)
    await world.fund(investor, 900_000n)
    expect(await watch()).toBe(1)
    expect(await cases()).toMatchObject([
      { rule: 'structuring', kind: 'deposit', amount: 26_999.99, movements: 3 },
    ])
  })

  test('for money that is paid in and asked for again', async () => {
    await world.fund(investor, 1_000_000n)
    await ask(investor, 7_999.99)
    expect(await watch()).toBe(0)
    await ask(investor, 0.01)
    expect(await watch()).toBe(1)
    expect(await cases()).toMatchObject([
      { rule: 'passing', kind: 'withdrawal', amount: 8_000, movements: 2 },
    ])
  })

  test('for withdrawals, and for each account and direction apart', async () => {
    const other = await world.person('Olga Other')
    await world.fund(other, 3_000_000n)
    await fundedBefore(10_000_000n, '8 days')
    await world.fund(investor, 3_000_000n)
    await ask(investor, 25_000)
    expect(await cases(await watched())).toMatchObject([{ rule: 'passing' }])
    await ask(investor, 25_000)
    expect(await cases(await watched())).toMatchObject([
      { rule: 'passing' },
      { rule: 'turnover', kind: 'withdrawal', amount: 50_000 },
    ])
  })

  test('for a payment of an investment', async () => {
    const invest = { method: 'usdt', plan: 'Elite', amount: 50_000 } as const
    const { data } = await world.call(newInvestment, investor, { body: invest })
    await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    await watch()
    const [one] = await cases()
    expect(one).toMatchObject({ rule: 'turnover', kind: 'deposit', amount: 50_000, movements: 1 })
    expect((await detail(one!._id)).moved).toMatchObject([
      { kind: 'deposit', amount: 50_000, number: expect.stringContaining('DEP') },
    ])
  })

  test('for no withdrawal of what was there before the deposits', async () => {
    await fundedBefore(1_000_000n, '8 days')
    await ask(investor, 8_000)
    await world.fund(investor, 1_000_000n)
    expect(await watch()).toBe(0)
    await ask(investor, 7_999.99)
    expect(await watch()).toBe(0)
  })

  test('for small movements after a long pause that are much together', async () => {
    await fundedBefore(200_000n, '181 days')
    await ask(investor, 1)
    await ask(investor, 999)
    expect(await cases(await watched())).toMatchObject([{ rule: 'dormant', amount: 1_000, movements: 2 }])
  })

  test('for a movement after a long pause', async () => {
    const other = await world.person('Olga Other')
    await fundedBefore(200_000n, '181 days', other)
    await ask(other, 999.99)
    expect(await watch()).toBe(0)
    await fundedBefore(200_000n, '181 days')
    await ask(investor, 1_000)
    expect(await watch()).toBe(1)
    expect(await cases()).toMatchObject([
      { rule: 'dormant', kind: 'withdrawal', amount: 1_000, movements: 1 },
    ])
  })

  test('for no movement after a shorter pause, and for no first one', async () => {
    await fundedBefore(200_000n, '179 days')
    await ask(investor, 1_000)
    await world.fund(await world.person('Nils New'), 200_000n)
    expect(await watch()).toBe(0)
  })

  test('once, by two workers at the same time, and not again while it is open', async () => {
    await world.fund(investor, 6_000_000n)
    await Promise.all([watch(), watch()])
    expect(await cases()).toHaveLength(1)
    await world.fund(investor, 6_000_000n)
    expect(await watch()).toBe(0)
  })

  test('again only for what moves after the decision', async () => {
    const { _id } = await found()
    await world.fund(investor, 6_000_000n)
    await decide(_id)
    await world.fund(investor, 4_000_000n)
    expect(await watch()).toBe(0)
    await world.fund(investor, 1_000_000n)
    expect(await watch()).toBe(1)
    expect(await cases({ status: 'open' })).toMatchObject([{ amount: 50_000, movements: 2 }])
  })

  test('also for what moved while no worker ran', async () => {
    await watch()
    await world.owner(
      "UPDATE app.monitoring_progress SET through = now() - interval '12 days', settings = -1",
    )
    await fundedBefore(3_000_000n, '11 days')
    await fundedBefore(3_000_000n, '10 days')
    await fundedBefore(6_000_000n, '1 day')
    expect(await watch()).toBe(1)
    const [one] = await cases()
    // Its movements are shown from the first ones on.
    expect(Date.now() - Date.parse(one!.firstAt)).toBeGreaterThanOrEqual(11 * 86_400_000)
  })

  test('for deposits below the limit of turnover once two admins lower it', async () => {
    await fundedBefore(2_000_000n, '2 days')
    expect(await watch()).toBe(0)
    expect(await watch()).toBe(0)
    const body = { ...settingsBody, turnoverLimit: 20_000 }
    await world.call(proposeSettings, world.admin, { body })
    const { data: proposed } = await world.call(listProposals, world.admin, {})
    await world.call(approveProposal, world.secondAdmin, { params: { id: proposed[0]!._id } })
    expect(await watch()).toBe(1)
  })
})

describe('a case', () => {
  test('shows its person and movements with their numbers and addresses', async () => {
    const { _id } = await found()
    const { data: asked } = await ask(investor, 100)
    await world.call(cancelWithdrawal, investor, { params: { id: asked._id } })
    expect(await detail(_id)).toMatchObject({
      person: { email: investor.email, frozen: false, closed: false },
      moved: [
        { kind: 'withdrawal', amount: 100, coin: 'Bitcoin (BTC)', found: false, status: 'cancelled' },
        { kind: 'deposit', amount: 60_000, found: true, status: 'paid' },
      ],
      others: [],
    })
    const { data: user } = await world.call(getUser, world.admin, { params: { id: investor.id } })
    expect(user.openCases).toBe(1)
  })

  test('is told to staff until someone has decided it', async () => {
    const { _id } = await found()
    await tellStaff(world.services)
    const { data: alerts } = await world.call(listNotifications, support, {})
    expect(alerts).toMatchObject([
      { kind: 'case.waiting', text: 'High volume in a short time: $60,000.00 by Ines Investor.' },
    ])
    const waiting = async () => (await world.call(consoleSummary, world.admin)).data.waiting.cases.count
    expect(await waiting()).toBe(1)
    await decide(_id)
    expect(await tellStaff(world.services)).toBe(0)
    expect(await waiting()).toBe(0)
  })

  test('is closed once, by someone else who cares for accounts, with an audit line', async () => {
    const { _id } = await found()
    const finance = await world.person('Finn Finance', 'finance')
    const before = await world.state()
    expect(await decide(_id, 'reported', { by: finance })).toMatchObject({ status: 403 })
    expect(await world.state()).toEqual(before)
    expect(await decide(_id, 'reported')).toMatchObject({
      message: 'Closed: reported',
      data: { status: 'reported', decidedBy: 'Sue Support', reason: 'Sold a house' },
    })
    expect(await decide(_id, 'explained', { by: world.admin })).toMatchObject({
      status: 409,
      reason: 'case_decided',
      message: 'Sue Support has decided this case already.',
    })
    const { rows } = await world.owner(
      "SELECT subject_id, reason, details FROM app.audit_log WHERE action = 'monitoring.decided'",
    )
    expect(rows).toEqual([
      {
        subject_id: investor.id,
        reason: 'Sold a house',
        details: {
          before: { status: 'open' },
          after: { status: 'reported' },
          case: _id,
          rule: 'turnover',
        },
      },
    ])
  })

  test('stops no withdrawal', async () => {
    await found()
    const { approved } = withdrawalsIn(() => world)
    expect((await approved(investor, 100)).status).toBe('approved')
  })

  test('has a report with a line for each movement', async () => {
    const { _id } = await found()
    await ask(investor, 100)
    const headers = { authorization: `Bearer ${world.tokenOf(support)}` }
    const url = `/api${caseReport.path.replace(':id', _id)}`
    const { body, statusCode } = await world.app.inject({ method: 'GET', url, headers })
    expect(statusCode, body).toBe(200)
    const [header, ...lines] = parseCsv(body.slice(1))
    const rows = lines.map(line => Object.fromEntries(line.map((cell, n) => [header?.[n], cell])))
    expect(rows).toMatchObject([
      {
        Case: _id,
        Name: 'Ines Investor',
        Email: investor.email,
        Moved: 'withdrawal',
        'Amount (USD)': '100.00',
      },
      { Moved: 'deposit', 'Amount (USD)': '60000.00', Status: 'paid' },
    ])
  })
})

describe('a person who decides', () => {
  test('must have seen the newest movement', async () => {
    const { _id } = await found()
    const { moved } = await detail(_id)
    await ask(investor, 100)
    expect(await decide(_id, 'explained', { newest: moved[0]!._id })).toMatchObject({
      status: 409,
      reason: 'case_moved',
    })
    expect((await decide(_id)).status).toBe(200)
  })

  test('decides about one rule, and the others go on', async () => {
    const { _id } = await found()
    await decide(_id)
    await ask(investor, 48_000)
    expect(await watch()).toBe(1)
    expect(await cases({ status: 'open' })).toMatchObject([{ rule: 'passing', amount: 48_000 }])
  })

  test('is not told of a case of their own account', async () => {
    await world.fund(support, 6_000_000n)
    await watch()
    const [own] = await cases()
    expect(own).toMatchObject({ user: support.id })
    expect((await world.call(listCases, support, {})).data).toEqual([])
    expect((await world.call(getCase, support, { params: { id: own!._id } })).status).toBe(404)
    expect((await world.call(getUser, support, { params: { id: support.id } })).data.openCases).toBe(0)
    expect((await world.call(consoleSummary, support)).data.waiting.cases.count).toBe(0)
    expect((await decide(own!._id)).status).toBe(404)
  })
})

describe('the rules', () => {
  test('open no case again that was decided while they ran', async () => {
    const { _id } = await found()
    const find: typeof findings = async (...of) => {
      const all = await findings(...of)
      await decide(_id)
      return all
    }
    expect(await watchMovements(world.services, { find })).toBe(0)
  })

  test('go on with other accounts if one cannot be read, and read it the next time', async () => {
    const find: typeof findings = (tx, users, of) =>
      users.includes(investor.id) ? Promise.reject(new Error('no')) : findings(tx, users, of)
    const failing = () => watchMovements(world.services, { find, page: 1 })
    await world.fund(investor, 6_000_000n)
    expect(await failing()).toBe(0)
    await world.owner("UPDATE app.monitoring_progress SET failing_since = now() - interval '61 minutes'")
    for (const name of ['Olga Other', 'Otto Other']) await world.fund(await world.person(name), 6_000_000n)
    expect(await failing()).toBe(2)
    await tellStaff(world.services)
    const kinds = async () => (await world.call(listNotifications, support, {})).data.map(({ kind }) => kind)
    expect(await kinds()).toContain('monitoring.late')
    expect(await watch()).toBe(1)
    expect(await cases()).toHaveLength(3)
    const { rows } = await world.owner('SELECT failing_since FROM app.monitoring_progress')
    expect(rows).toEqual([{ failing_since: null }])
  })
})

describe('the database', () => {
  test('keeps what was found, and lets another person decide it once', async () => {
    const { _id } = await found()
    const run = (statement: string) => expect(world.ownerPool.query(statement)).rejects
    const decided = (by: string, rest = '', through = 'at') =>
      `UPDATE app.monitoring_cases SET decision = 'explained', reason = 'x', decided_at = now(), decided_by = '${by}',
              through = (SELECT ${through} FROM app.outside_movements) ${rest}`
    await run('DELETE FROM app.monitoring_cases').toThrow()
    await run('TRUNCATE app.monitoring_cases').toThrow()
    for (const change of ['cents = 1', "rule = 'passing'", "found_at = now() + '1 second'"]) {
      await run(`UPDATE app.monitoring_cases SET ${change}`).toMatchObject({ code: 'PB912' })
    }
    await run(decided(investor.id)).toMatchObject({ code: 'PB914' })
    const finance = await world.person('Finn Finance', 'finance')
    await run(decided(finance.id)).toMatchObject({ code: 'PB914' })
    await run(decided(support.id, ', cents = 1')).toMatchObject({ code: 'PB912' })
    await run(decided(support.id, '', "at + interval '1 hour'")).toMatchObject({ code: 'PB914' })
    await decide(_id)
    await run(decided(world.admin.id)).toMatchObject({ code: 'PB912' })
  })
})
