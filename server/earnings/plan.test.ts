import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordedReturns } from '#server/ledger/balances.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import * as call from '#shared/contract/earnings.ts'
import {
  approveInvestment,
  closeInvestment,
  listInvestments,
  newInvestment,
} from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listPlans, updatePlan } from '#shared/contract/plans.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let ines: Person
let omar: Person

/** A world of its own, for returns or settings; other tests share one in which all plans are closed. */
async function openOwn(changes: Parameters<typeof openWorld>[0] = {}) {
  world = await openWorld(changes)
  await enter()
}
async function enter() {
  ines = await world.person('Ines Investor')
  omar = await world.person('Omar Other')
}
let shared: World
beforeAll(async () => {
  shared = await openWorld()
})
beforeEach(async () => {
  world = shared
  const query = { status: 'active', limit: 200 }
  const { data } = await world.call(listInvestments, world.admin, { query })
  for (const { _id, user } of data) {
    const by = user === world.admin.id ? world.secondAdmin : world.admin
    await world.call(closeInvestment, by, { params: { id: _id }, body: { reason: 'Closed early' } })
  }
  await enter()
})

const record = (amount: number, source = 'Sale of a warehouse', realisedAt = '2026-03-01') =>
  world.call(newReturn, world.admin, {
    body: { amount, source, realisedAt, evidence: 'https://registry.example/deed/1' },
  })
async function invest(who: Person, amount: number, plan = 'Enthusiast'): Promise<string> {
  const { data } = await world.call(newInvestment, who, { body: { method: 'usdt', plan, amount } })
  const by = who === world.admin ? world.secondAdmin : world.admin
  await world.call(approveInvestment, by, { params: { id: data._id } })
  return data._id
}
async function planCalled(name: string) {
  const { data } = await world.call(listPlans, null)
  return data.find(plan => plan.name === name)!
}
async function preview(name = 'Enthusiast', by = world.admin) {
  const { _id: id } = await planCalled(name)
  const { data } = await world.call(call.previewPlanEarnings, by, { params: { id } })
  const { data: rows } = await world.call(call.listPlanShares, by, { query: { plan: id, asOf: data.asOf } })
  return { id, rows, ...data }
}
type Previewed = { id: string; asOf: string; digest: string }
const confirm = (
  of: Previewed,
  { by = world.admin, note, key }: { by?: Person; note?: string; key?: string } = {},
) =>
  world.call(
    call.addPlanEarnings,
    by,
    { params: { id: of.id }, body: { asOf: of.asOf, digest: of.digest, ...(note ? { note } : {}) } },
    key === undefined ? {} : { idempotencyKey: key },
  )
/** Holds an investment's lock as a concurrent action does; `during` may end it with a statement once someone waits. */
async function whileLocked<T>(id: string, during: (end: (statement: string) => Promise<void>) => Promise<T>) {
  const holder = await world.database.owner.connect()
  try {
    const { rows } = await holder.query('SELECT pg_backend_pid() AS pid')
    await holder.query('BEGIN')
    await holder.query('SELECT FROM app.investments WHERE id = $1 FOR UPDATE', [id])
    const waiting = `SELECT FROM pg_stat_activity WHERE ${rows[0].pid} = ANY (pg_blocking_pids(pid))`
    return await during(async statement => {
      await until(async () => (await world.owner(waiting)).rows.length > 0)
      await holder.query(statement)
      await holder.query('COMMIT')
    })
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}
const available = async (who: Person) => (await world.balances(who)).available
const left = async () => (await recordedReturns(world.database.db)).leftCents
async function expectSoundBooks() {
  const run = await checkBooks(world.services.pool, world.services.log)
  expect(run.checks.filter(({ faults }) => faults > 0)).toEqual([])
}

describe('the preview', () => {
  test("[N-09, D4] lists the plan's active investments with their accruals, in any version", async () => {
    await openOwn()
    await record(5_000)
    const old = await invest(ines, 1_000)
    const { _id, name, minimum, maximum, duration, durationDays, note } = await planCalled('Enthusiast')
    const terms = { name, minimum, maximum, duration, durationDays, note }
    await world.call(updatePlan, world.admin, { params: { id: _id }, body: { ...terms, percentage: 20 } })
    const renewed = await invest(omar, 2_000)
    await invest(omar, 600, 'Beginner')
    const closed = await invest(ines, 1_000)
    await world.call(closeInvestment, world.admin, {
      params: { id: closed },
      body: { reason: 'Closed early' },
    })
    world.clock.pass({ days: 15 })
    const shown = await preview()
    // 10.5 % and 20 % over 30 days: half of each by now.
    expect(shown.rows).toMatchObject([
      { _id: renewed, userName: omar.name, principal: 2_000, percentage: 20, amount: 200 },
      { _id: old, userName: ines.name, principal: 1_000, percentage: 10.5, amount: 52.5 },
    ])
    expect(shown).toMatchObject({
      plan: 'Enthusiast',
      count: 2,
      total: 252.5,
      left: 5_000,
      ownLeftOut: 0,
      frozenLeftOut: 0,
      needsApproval: false,
    })
  })

  test('shows the accruals at its time, on each of its pages', async () => {
    for (let n = 0; n < 3; n += 1) await invest(ines, 1_000)
    world.clock.pass({ days: 1 })
    const { id, asOf } = await preview()
    world.clock.pass({ days: 5 })
    const page = async (cursor?: string) =>
      world.call(call.listPlanShares, world.admin, {
        query: { plan: id, asOf, limit: 2, ...(cursor === undefined ? {} : { cursor }) },
      })
    const first = await page()
    const second = await page(first.page!.nextCursor!)
    expect([...first.data, ...second.data].map(({ amount }) => amount)).toEqual([3.5, 3.5, 3.5])
    expect([first.page?.total, second.page?.nextCursor]).toEqual([3, null])
  })

  test('[N-09] is stable while nothing changes, and the first one can be confirmed', async () => {
    await record(5_000)
    await invest(ines, 1_000)
    world.clock.pass({ days: 10 })
    const first = await preview()
    world.clock.pass({ minutes: 30 })
    const later = await preview()
    expect([later.digest, later.asOf]).toEqual([first.digest, expect.not.stringMatching(first.asOf)])
    expect(await confirm({ id: first.id, asOf: first.asOf, digest: later.digest })).toMatchObject({
      status: 200,
      data: { total: 35 },
    })
  })

  test('[N-09, D7] includes an earning that was declined', async () => {
    await openOwn({ earningsSecondApproval: true })
    await record(5_000)
    await invest(ines, 1_000)
    world.clock.pass({ days: 10 })
    await confirm(await preview())
    expect(await preview()).toMatchObject({ count: 0 })
    const { data } = await world.call(call.listEarnings, world.admin)
    const declining = { params: { id: data[0]!._id }, body: { reason: 'Meant for another month' } }
    expect((await world.call(call.declineEarning, world.admin, declining)).status).toBe(200)
    expect(await preview()).toMatchObject({ count: 1, total: 35 })
  })

  test("leaves the caller's own investments out, and says so", async () => {
    await invest(world.admin, 1_000)
    await invest(ines, 1_000)
    world.clock.pass({ days: 10 })
    expect(await preview()).toMatchObject({ count: 1, total: 35, ownLeftOut: 1 })
    expect(await preview('Enthusiast', world.secondAdmin)).toMatchObject({
      count: 2,
      total: 70,
      ownLeftOut: 0,
    })
  })

  test('[N-12] leaves frozen accounts out, and says so; their accruals stay due', async () => {
    await invest(ines, 1_000)
    await invest(omar, 1_000)
    const [params, body] = [{ id: omar.id }, { reason: 'Asked about a payment' }]
    await world.call(freezeUser, world.admin, { params, body })
    world.clock.pass({ days: 10 })
    expect(await preview()).toMatchObject({ count: 1, total: 35, frozenLeftOut: 1 })
    await world.call(unfreezeUser, world.admin, { params, body })
    expect(await preview()).toMatchObject({ count: 2, total: 70, frozenLeftOut: 0 })
  })

  test('of an unknown plan is refused', async () => {
    const id = '019aa000-0000-7000-8000-000000000000'
    const answer = await world.call(call.previewPlanEarnings, world.admin, { params: { id } })
    expect(answer).toMatchObject({ status: 404, message: 'There is no such plan' })
  })
})

describe('confirming it', () => {
  test('[N-09, D1] pays each from recorded returns, the oldest first, in sound books', async () => {
    await openOwn()
    await record(50, 'Rent of a hall', '2026-02-01')
    await record(500, 'Licence fees', '2026-05-01')
    await invest(ines, 1_000)
    await invest(omar, 2_000)
    world.clock.pass({ days: 10 })
    const answer = await confirm(await preview(), { note: 'November' })
    expect(answer).toMatchObject({
      status: 200,
      message: 'Earnings added',
      data: {
        plan: 'Enthusiast',
        count: 2,
        total: 105,
        status: 'done',
        added: 2,
        addedTotal: 105,
        skipped: 0,
      },
    })
    expect([await available(ines), await available(omar), await left()]).toEqual([3_500n, 7_000n, 44_500n])
    const { data } = await world.call(call.listEarnings, world.admin)
    expect(data.map(({ amount, source, note }) => [amount, source, note])).toEqual([
      [70, 'Rent of a hall; Licence fees', 'November'],
      [35, 'Rent of a hall', 'November'],
    ])
    await expectSoundBooks()
    expect(await preview()).toMatchObject({ count: 0, total: 0 })
  })

  test('[N-09, N-12] notifies each investor and audits the whole action', async () => {
    await openOwn()
    await record(500)
    await invest(ines, 1_000)
    await invest(omar, 1_000)
    world.clock.pass({ days: 10 })
    const { id } = await preview()
    await confirm(await preview(), { note: 'November' })
    for (const who of [ines, omar]) {
      const { data } = await world.call(listNotifications, who, { query: { limit: 1 } })
      expect(data[0]).toMatchObject({
        kind: 'earning.paid',
        details: ['Source: Sale of a warehouse.', 'Note: November'],
      })
    }
    const { rows: emails } = await world.owner(
      "SELECT count(*)::int AS emails FROM graphile_worker._private_jobs WHERE payload ->> 'notice' = 'earning.paid'",
    )
    expect(emails).toEqual([{ emails: 2 }])
    const log = await world.call(listAudit, world.admin, { query: { q: id } })
    expect(log.data.slice(0, 2)).toMatchObject([
      {
        action: 'earning.plan_run_ended',
        actorName: world.admin.name,
        reason: 'November',
        details: { added: '2, $70.00', skipped: '0, $0.00', left: '0, $0.00' },
      },
      {
        action: 'earning.added_for_plan',
        subjectKind: 'plan',
        reason: 'November',
        details: { plan: 'Enthusiast', count: 2, total: '$70.00' },
      },
    ])
  })

  test('[B-04] is refused as a whole if the returns do not cover it', async () => {
    await openOwn()
    await record(50)
    await invest(ines, 1_000)
    await invest(omar, 1_000)
    world.clock.pass({ days: 10 })
    const shown = await preview()
    const before = await world.state()
    expect(await confirm(shown)).toMatchObject({
      status: 409,
      code: 'insufficient_returns',
      message: 'Only $50.00 of recorded returns is available; $70.00 needed. Record a realised return first.',
    })
    expect(await world.state()).toBe(before)
  })

  test('[N-09] is refused as a whole if anything has changed since the preview', async () => {
    await record(5_000)
    const closed = await invest(ines, 1_000)
    await invest(omar, 1_000)
    world.clock.pass({ days: 10 })
    const shown = await preview()
    await world.call(closeInvestment, world.admin, {
      params: { id: closed },
      body: { reason: 'Closed early' },
    })
    const before = await world.state()
    expect(await confirm(shown)).toMatchObject({
      status: 409,
      reason: 'preview_changed',
      message: expect.stringContaining('it is now 1 earning, $35.00 in all'),
    })
    expect(await world.state()).toBe(before)
    expect((await confirm(await preview())).status).toBe(200)
  })

  test('[N-09] is possible for an hour, and pays no more than the preview showed', async () => {
    await record(5_000)
    await invest(ines, 1_000)
    world.clock.pass({ days: 10, minutes: -30 })
    const shown = await preview()
    world.clock.pass({ minutes: 59 })
    expect((await confirm(shown)).data.total).toBe(31.5)
    const next = await preview()
    expect(next.total).toBe(3.5)
    world.clock.pass({ minutes: 61 })
    const before = await world.state()
    expect(await confirm(next)).toMatchObject({ status: 409, reason: 'preview_expired' })
    expect(await confirm({ ...next, asOf: '2999-01-01T00:00:00.000Z' })).toMatchObject({
      reason: 'preview_expired',
    })
    expect(await world.state()).toBe(before)
  })

  test('[B-05] by several admins at once has one effect', async () => {
    await record(5_000)
    await invest(ines, 1_000)
    await invest(omar, 1_000)
    world.clock.pass({ days: 10 })
    const [shown, other] = [await preview(), await preview('Enthusiast', world.secondAdmin)]
    const before = await left()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        n % 2 === 0 ? confirm(shown) : confirm(other, { by: world.secondAdmin }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'nothing_accrued')).toHaveLength(9)
    expect([await available(ines), before - (await left())]).toEqual([3_500n, 7_000n])
    await expectSoundBooks()
  })

  test('[B-05] concurrently with a single earning, each accrual is paid once', async () => {
    await record(5_000)
    for (let round = 1; round <= 5; round += 1) {
      await invest(ines, 1_000)
      await invest(omar, 1_000)
      world.clock.pass({ days: 1 })
      const shown = await preview()
      const single = { params: { userId: ines.id }, body: {} }
      const [whole, one] = await Promise.all([
        confirm(shown),
        world.call(call.addEarning, world.secondAdmin, single),
      ])
      expect([whole.status, one.status]).toContain(200)
      if (whole.status !== 200) await confirm(await preview())
      expect(await preview()).toMatchObject({ count: 0 })
    }
    expect(await available(ines)).toBe(await available(omar))
    await expectSoundBooks()
  })

  test('[B-05] waits for a concurrent closing, and skips its investment', async () => {
    await openOwn()
    await record(5_000)
    const closed = await invest(ines, 1_000)
    await invest(omar, 1_000)
    world.clock.pass({ days: 10 })
    const shown = await preview()
    const answer = await whileLocked(closed, async end => {
      const confirmed = confirm(shown)
      await end(`
        SELECT ledger.post(ROW (uuidv7(), 'investment.closed', 'investment', '${closed}', NULL, NULL, NULL),
          ARRAY[ROW (1, '${ines.id}', 'invested', '${ines.id}', 'available', 'USD', 100000)::ledger.leg]);
        UPDATE app.investments SET status = 'inactive', closed_at = now() WHERE id = '${closed}'`)
      return confirmed
    })
    expect(answer).toMatchObject({
      status: 200,
      data: {
        status: 'done',
        added: 1,
        addedTotal: 35,
        skipped: 1,
        skippedTotal: 35,
        skips: [{ investment: closed, reason: 'closed' }],
      },
    })
    expect(await left()).toBe(496_500n)
  })

  test('[N-09] does not wait for investments without accruals', async () => {
    await openOwn()
    await record(5_000)
    const paidUp = await invest(ines, 1_000)
    world.clock.pass({ days: 10 })
    await confirm(await preview())
    await invest(omar, 1_000)
    world.clock.pass({ minutes: 60 })
    await world.call(call.addEarning, world.admin, { params: { userId: ines.id }, body: { amount: 10 } })
    world.clock.pass({ days: 1 })
    await whileLocked(paidUp, async () => {
      expect(await confirm(await preview())).toMatchObject({ status: 200, data: { count: 1, total: 3.5 } })
    })
  })

  test('[B-06] with the same key adds once and answers alike', async () => {
    await record(5_000)
    await invest(ines, 1_000)
    world.clock.pass({ days: 10 })
    const shown = await preview()
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(shown, { key: 'november' })))
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, data: { total: 35 } })
    expect(await available(ines)).toBe(3_500n)
  })

  test('[D7] makes all pending if a second admin must approve', async () => {
    await openOwn({ earningsSecondApproval: true })
    await record(5_000)
    await invest(ines, 1_000)
    await invest(omar, 1_000)
    world.clock.pass({ days: 10 })
    const shown = await preview()
    expect(shown.needsApproval).toBe(true)
    expect(await confirm(shown)).toMatchObject({
      message: 'Earnings added. A second person must approve them',
      data: { count: 2, status: 'done', needsApproval: true },
    })
    expect([await available(ines), await left()]).toEqual([0n, 500_000n])
    const { data } = await world.call(call.listEarnings, world.admin, { query: { status: 'pending' } })
    const approve = (by: Person) => world.call(call.approveEarning, by, { params: { id: data[0]!._id } })
    expect(await approve(world.admin)).toMatchObject({ code: 'same_approver' })
    expect((await approve(world.secondAdmin)).data.status).toBe('paid')
    expect(await preview()).toMatchObject({ count: 0 })
  })

  test('pays more than one ledger call takes in one transaction', async () => {
    await record(500_000)
    const crowd = await Promise.all(Array.from({ length: 6 }, (_, n) => world.person(`Crowd ${n}`)))
    for (const who of crowd) {
      await world.fund(who, 10_000_000n)
      const asked = await Promise.all(
        Array.from({ length: 50 }, () =>
          world.call(newInvestment, who, { body: { method: 'balance', plan: 'Enthusiast', amount: 1_000 } }),
        ),
      )
      for (const { data } of asked) {
        await world.call(approveInvestment, world.admin, { params: { id: data._id } })
      }
    }
    world.clock.pass({ days: 10 })
    const shown = await preview()
    expect(shown).toMatchObject({ count: 300, total: 10_500 })
    expect((await confirm(shown)).data).toMatchObject({ count: 300, total: 10_500 })
    for (const who of crowd) expect(await available(who)).toBe(5_000_000n + 175_000n)
    await expectSoundBooks()
  })
})
