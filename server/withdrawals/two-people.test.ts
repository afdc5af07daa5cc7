import { beforeEach, describe, expect, test } from 'vitest'
import { getWithdrawal, listWithdrawals } from '#shared/contract/withdrawals.ts'
import { settingsBody } from '#test/support/settings.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** When one person is not enough to pay an investor. */
let world: World
let investor: Person
let finance: Person
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
  finance = await world.person('Fin Ance', 'finance')
  await world.fund(investor, 5_000_000n)
})

const { ask, approve, decline, pay } = withdrawalsIn(() => world)
const requested = async (amount: number, who = investor) => (await ask(who, amount)).data._id
const read = async (id: string) => (await world.call(getWithdrawal, world.admin, { params: { id } })).data

describe('the limit of $10,000 for one approver', () => {
  test('[C-12, D7] counts what an investor requests in 24 hours', async () => {
    const [first, second, third] = [await requested(10_000), await requested(10_000), await requested(0.01)]
    const needs = (await Promise.all([first, second, third].map(read))).map(one => one.approvalsNeeded)
    expect(needs).toEqual([1, 2, 2])
    expect((await approve(first, finance)).data.status).toBe('approved')
    for (const id of [second, third]) {
      const once = await approve(id)
      expect(once.message).toBe('First approval recorded')
      expect(once.data).toMatchObject({
        status: 'pending',
        approvals: 1,
        approvalsNeeded: 2,
        singleApproval: 10_000,
        secondApproval: 'investor_day',
      })
      expect((await approve(id, world.secondAdmin)).data.status).toBe('approved')
    }
    const { data } = await world.call(listWithdrawals, world.admin)
    expect(data.map(({ approvalsNeeded }) => approvalsNeeded)).toEqual([2, 2, 1])
  })

  test('[C-12, D7] counts neither declined requests nor those of the day before', async () => {
    await decline(await requested(10_000))
    const one = await requested(10_000)
    expect(await read(one)).toMatchObject({ approvalsNeeded: 1, secondApproval: null })
    world.clock.pass({ days: 1 })
    expect((await read(await requested(10_000))).approvalsNeeded).toBe(1)
  })

  test('[C-12, D7] counts what a person has approved alone in 24 hours', async () => {
    const other = await world.person('Omar Other')
    const third = await world.person('Theo Third')
    for (const who of [other, third]) await world.fund(who, 2_000_000n)
    expect((await approve(await requested(10_000))).data.status).toBe('approved')
    const next = await requested(0.01, other)
    const once = await approve(next)
    expect(once.message).toBe(
      'First approval recorded. You have reached your limit for 24 hours, so a second person must approve it',
    )
    expect(once.data).toMatchObject({ status: 'pending', approvalsNeeded: 2, secondApproval: 'approver_day' })
    expect(await approve(next)).toMatchObject({ status: 409, code: 'same_approver' })
    expect((await approve(next, finance)).data.status).toBe('approved')
    // What two people approved counts for neither of them.
    expect((await approve(await requested(10_000, third), finance)).data.status).toBe('approved')
    world.clock.pass({ days: 1 })
    expect((await approve(await requested(10_000, third))).data.status).toBe('approved')
  })

  test('[C-12, D7] forgets what a person approved alone after 24 hours to the minute', async () => {
    const owners = await Promise.all([1, 2, 3].map(n => world.person(`Investor ${n}`)))
    for (const owner of owners) await world.fund(owner, 2_000_000n)
    const [first, second, third] = owners as [Person, Person, Person]
    // Twenty past an hour, so that hour holds both an approval that is forgotten and one that is not.
    world.clock.pass({ minutes: 80 - world.clock.now().getUTCMinutes() })
    expect((await approve(await requested(4_000, first))).data.status).toBe('approved')
    world.clock.pass({ minutes: 20 })
    expect((await approve(await requested(3_000, second))).data.status).toBe('approved')
    world.clock.pass({ days: 1, minutes: -10 })
    const withinLimit = await requested(7_000, first)
    const beyondIt = await requested(0.01, third)
    expect((await approve(withinLimit)).data.status).toBe('approved')
    expect((await approve(beyondIt)).data).toMatchObject({
      status: 'pending',
      secondApproval: 'approver_day',
    })
  })

  test('[C-12, D7] adds up what one person approves at once', async () => {
    const others = await Promise.all([1, 2, 3].map(n => world.person(`Investor ${n}`)))
    for (const other of others) await world.fund(other, 600_000n)
    const ids = await Promise.all(others.map(other => requested(6_000, other)))
    const answers = await Promise.all(ids.map(id => approve(id)))
    expect(answers.map(({ data }) => data.status).toSorted()).toEqual(['approved', 'pending', 'pending'])
  })

  test('[C-12, D7] is the one that two admins decided, also for the database', async () => {
    const id = await requested(10_000)
    const { reason: _, ...settings } = settingsBody
    const after = { ...settings, largeWithdrawal: 5000, largeReturn: 5000, earningsSecondApproval: false }
    await world.owner(`
      INSERT INTO app.proposals (id, kind, content, reason, proposed_by, created_at)
      VALUES (gen_random_uuid(), 'settings', '${JSON.stringify({ after })}', 'x', '${world.admin.id}', now());
      UPDATE app.proposals SET status = 'approved', decided_by = '${world.secondAdmin.id}', decided_at = now();
      INSERT INTO app.setting_versions (large_withdrawal_cents, large_return_cents, earnings_second_approval, proposal_id, created_at)
      SELECT 500000, 500000, false, id, now() - interval '1 hour' FROM app.proposals`)
    expect((await approve(id)).data).toMatchObject({ status: 'pending', approvalsNeeded: 2 })
  })
})

describe('an answer', () => {
  const shown = async () => (await world.call(listWithdrawals, world.admin)).data

  test('[C-12] is the withdrawal as the lists show it, after each act', async () => {
    const id = await requested(20_000)
    expect([(await approve(id)).data]).toEqual(await shown())
    expect([(await approve(id, finance)).data]).toEqual(await shown())
    expect([(await pay(id)).data]).toEqual(await shown())
  })

  test('[C-12] also counts the approval of a person who no longer counts', async () => {
    const id = await requested(20_000)
    await approve(id, finance)
    await world.owner(`UPDATE app.users SET access_ended_at = now() WHERE id = '${finance.id}'`)
    expect([(await approve(id)).data]).toEqual(await shown())
    const { data } = await approve(id, world.secondAdmin)
    expect(data).toMatchObject({ status: 'approved', approvals: 3 })
    expect([data]).toEqual(await shown())
  })
})

describe('marking as paid', () => {
  test('[C-12, D7] is not for a person who approved the withdrawal', async () => {
    const id = await requested(20_000)
    await approve(id)
    await approve(id, finance)
    const before = await world.state()
    for (const approver of [world.admin, finance]) {
      expect(await pay(id, approver)).toMatchObject({
        status: 409,
        code: 'same_approver',
        message: 'You approved this withdrawal, so a second person must mark it as paid.',
      })
    }
    expect(await world.state()).toBe(before)
    expect((await pay(id)).data.status).toBe('paid')
    const detail = await read(id)
    expect(detail.approvers.map(({ name }) => name)).toEqual(['Ada Admin', 'Fin Ance'])
    const own = await world.call(getWithdrawal, investor, { params: { id } })
    expect(own.data.approvers).toEqual([])
  })

  test('[C-12, D7] tells the only person who may decide to invite a second one', async () => {
    const id = await requested(100)
    await approve(id)
    await world.owner(
      `UPDATE app.users SET access_ended_at = now() WHERE id IN ('${world.secondAdmin.id}', '${finance.id}')`,
    )
    expect((await pay(id, world.admin)).message).toBe(
      'You approved this withdrawal, so a second person must mark it as paid. Nobody else here may: first invite another member with the role Admin or Finance.',
    )
  })
})
