import { beforeEach, describe, expect, test } from 'vitest'
import { recordedReturns } from '#server/ledger/balances.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { freezeUser } from '#shared/contract/console.ts'
import * as call from '#shared/contract/earnings.ts'
import { closeInvestment } from '#shared/contract/investments.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { newReturn, proposeVoid, voidReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { earningPart } from '#shared/limits.ts'
import { usdFromJson } from '#shared/money.ts'
import { manyInvestments } from '#test/support/many-investments.ts'
import { until } from '#test/support/processes.ts'
import { isWaitedFor, kill, lockTable, startWorker } from '#test/support/worker.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { addNextParts } from './run-ahead.ts'

/** Two whole parts and one more; each investment accrues $0.35 in a day. */
const many = 2 * earningPart + 1
const shareCents = 35n
const wholeCents = shareCents * BigInt(many)

let world: World
let ines: Person
let plan: string
let ids: string[]
beforeEach(async () => {
  world = await openWorld()
  ines = await world.person('Ines Investor')
  const { data } = await world.call(listPlans, null)
  plan = data.find(({ name }) => name === 'Enthusiast')!._id
  ids = await manyInvestments(world, ines, { count: many, amountCents: 10_000n, plan: 'Enthusiast', days: 1 })
})

const record = async (amount: number) => {
  const body = {
    amount,
    source: 'Sale of a warehouse',
    realisedAt: '2026-03-01',
    evidence: 'https://registry.example/deed/1',
  }
  return (await world.call(newReturn, world.admin, { body })).data._id
}
async function confirm({ by = world.admin, key }: { by?: Person; key?: string } = {}) {
  const { data } = await world.call(call.previewPlanEarnings, by, { params: { id: plan } })
  const { asOf, digest } = data
  const input = { params: { id: plan }, body: { asOf, digest, note: 'November' } }
  return world.call(call.addPlanEarnings, by, input, key === undefined ? {} : { idempotencyKey: key })
}
const latest = async () => (await world.call(call.getPlanRun, world.admin, { params: { id: plan } })).data!
const cancel = (id: string, by = world.secondAdmin) =>
  world.call(call.cancelPlanRun, by, { params: { id }, body: { reason: 'Wrong month' } })
/** What a worker does with the queued job. */
const part = (run: string) => addNextParts(world.services, run, 1)
async function workOff(run: string) {
  while ((await latest()).status === 'running') await part(run)
  return latest()
}
const available = async () => (await world.balances(ines)).available
const left = async () => (await recordedReturns(world.database.db)).leftCents
const queued = async () =>
  (await world.owner("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'add_earning_part'")).rowCount
const lines = async (action: string) =>
  (await world.owner(`SELECT FROM app.audit_log WHERE action = '${action}'`)).rowCount
async function expectSoundBooks() {
  const { checks } = await checkBooks(world.services.pool, world.services.log)
  expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
}

describe('a run of more than one part', () => {
  test('[N-09, B-01] adds in its parts exactly what was previewed, and nothing more', async () => {
    await record(1_000)
    const answer = await confirm()
    expect(answer).toMatchObject({ status: 200, message: 'Earnings are being added' })
    expect(answer.data).toMatchObject({ status: 'running', count: many, added: 0, left: many })
    expect(usdFromJson(answer.data.total)).toBe(wholeCents)
    expect([await available(), await queued()]).toEqual([0n, 1])
    const counts: number[] = []
    for (let n = 0; n < 3; n += 1) {
      await part(answer.data._id)
      const { added, addedTotal } = await latest()
      expect(usdFromJson(addedTotal)).toBe(shareCents * BigInt(added))
      expect(await available()).toBe(shareCents * BigInt(added))
      counts.push(added)
    }
    expect(counts).toEqual([earningPart, 2 * earningPart, many])
    expect(await latest()).toMatchObject({ status: 'done', added: many, skipped: 0, left: 0, leftTotal: 0 })
    await part(answer.data._id)
    expect([await available(), await left()]).toEqual([wholeCents, 100_000n - wholeCents])
    const { rows } = await world.owner(
      'SELECT count(*)::int AS earnings, count(DISTINCT investment_id)::int AS investments FROM app.earnings',
    )
    expect(rows).toEqual([{ earnings: many, investments: many }])
    expect(await lines('earning.added')).toBe(many)
    await expectSoundBooks()
  })

  test('[N-09, B-05] two workers, each preparing parts ahead, add each share once', async () => {
    await record(1_000)
    const { data } = await confirm()
    await Promise.all([addNextParts(world.services, data._id), addNextParts(world.services, data._id)])
    expect(await workOff(data._id)).toMatchObject({
      status: 'done',
      added: many,
      skipped: 0,
      left: 0,
      leftTotal: 0,
    })
    expect([await available(), await left()]).toEqual([wholeCents, 100_000n - wholeCents])
    expect(await lines('earning.added')).toBe(many)
    expect(await lines('earning.plan_run_ended')).toBe(1)
    await expectSoundBooks()
  })

  test('[N-09, N-12] cancelled while a part is prepared, it adds no more of it', async () => {
    await record(1_000)
    const { data } = await confirm()
    const working = addNextParts(world.services, data._id)
    await until(async () => (await latest()).added > 0)
    await cancel(data._id)
    await working
    const { added } = await latest()
    expect([earningPart, 2 * earningPart, many]).toContain(added)
    expect(await lines('earning.added')).toBe(added)
    expect(await available()).toBe(shareCents * BigInt(added))
    await expectSoundBooks()
  })

  test('[N-09] leaves out what began or accrued after the confirmation', async () => {
    await record(1_000)
    const { data } = await confirm()
    await manyInvestments(world, ines, { count: 1, amountCents: 50_000n, plan: 'Enthusiast', days: 1 })
    world.clock.pass({ days: 1 })
    expect(await workOff(data._id)).toMatchObject({ status: 'done', added: many })
    expect(await available()).toBe(wholeCents)
  })

  test('[N-09, N-12] reports what was closed, frozen or paid meanwhile; its share stays unspent', async () => {
    await record(2_000)
    const [closed, paid] = [ids[0]!, ids[1]!]
    const frozen = await world.person('Fay Frozen')
    await manyInvestments(world, frozen, { count: 2, amountCents: 10_000n, plan: 'Enthusiast', days: 1 })
    const { data } = await confirm()
    const [params, reason] = [{ id: frozen.id }, { reason: 'Asked about a payment' }]
    await world.call(closeInvestment, world.admin, {
      params: { id: closed },
      body: { reason: 'Closed early' },
    })
    await world.call(freezeUser, world.admin, { params, body: reason })
    const single = { params: { userId: ines.id }, body: { amount: 0.35, investmentId: paid } }
    expect((await world.call(call.addEarning, world.secondAdmin, single)).status).toBe(200)
    const run = await workOff(data._id)
    expect(run).toMatchObject({ status: 'done', count: many + 2, added: many - 2, skipped: 4, left: 0 })
    expect(run.skips.map(({ reason }) => reason).toSorted()).toEqual([
      'already_added',
      'closed',
      'frozen',
      'frozen',
    ])
    expect(usdFromJson(run.addedTotal)! + usdFromJson(run.skippedTotal)!).toBe(usdFromJson(run.total))
    expect(await left()).toBe(200_000n - shareCents * BigInt(many - 1))
    await expectSoundBooks()
  })

  test('[B-04] recorded returns are reserved for it, so that nothing else spends them', async () => {
    await record(Number(wholeCents) / 100)
    const { data } = await confirm()
    const other = await world.person('Omar Other')
    await manyInvestments(world, other, { count: 1, amountCents: 60_000n, plan: 'Beginner', days: 10 })
    const refused = await world.call(call.addEarning, world.secondAdmin, {
      params: { userId: other.id },
      body: {},
    })
    expect(refused).toMatchObject({
      code: 'insufficient_returns',
      message: expect.stringContaining('Only $0.00 of recorded returns is available'),
    })
    await part(data._id)
    expect((await workOff(data._id)).status).toBe('done')
    expect(await left()).toBe(0n)
  })

  test('[B-04] stops, with what it has added, if a return is voided meanwhile', async () => {
    await record((Number(shareCents) * (earningPart + 1)) / 100)
    const doubtful = await record(5_000)
    const { data } = await confirm()
    await part(data._id)
    const body = { reason: 'The sale fell through' }
    await world.call(proposeVoid, world.admin, { params: { id: doubtful }, body })
    expect((await world.call(voidReturn, world.secondAdmin, { params: { id: doubtful } })).status).toBe(200)
    await part(data._id)
    expect(await latest()).toMatchObject({
      status: 'stopped',
      stopReason: 'insufficient_returns',
      added: earningPart,
      left: many - earningPart,
    })
    const log = await world.call(listAudit, world.admin, { query: { q: plan } })
    expect(log.data[0]).toMatchObject({
      action: 'earning.plan_run_ended',
      details: { why: 'insufficient_returns', left: '1001, $350.35' },
    })
    await record(1_000)
    expect((await workOff((await confirm()).data._id)).status).toBe('done')
    expect(await available()).toBe(wholeCents)
    await expectSoundBooks()
  })

  test('[N-09] stops if the person who confirmed it may no longer decide', async () => {
    await record(1_000)
    const { data } = await confirm()
    await world.owner(`UPDATE app.users SET role = 'support' WHERE id = '${world.admin.id}'`)
    await part(data._id)
    const { data: run } = await world.call(call.getPlanRun, world.secondAdmin, { params: { id: plan } })
    expect(run).toMatchObject({ status: 'stopped', stopReason: 'access_ended', added: 0 })
    expect(await available()).toBe(0n)
  })

  test('[B-06] confirmed several times with one key, is one run', async () => {
    await record(10_000)
    const { data: shown } = await world.call(call.previewPlanEarnings, world.admin, { params: { id: plan } })
    const input = { params: { id: plan }, body: { asOf: shown.asOf, digest: shown.digest } }
    const send = () => world.call(call.addPlanEarnings, world.admin, input, { idempotencyKey: 'november' })
    const answers = await Promise.all([send(), send(), send()])
    expect(new Set(answers.map(({ data }) => data._id)).size).toBe(1)
    expect(await confirm({ by: world.secondAdmin })).toMatchObject({ status: 409, reason: 'run_open' })
    await workOff(answers[0]!.data._id)
    expect((await send()).data).toEqual(answers[0]!.data)
    expect(await available()).toBe(wholeCents)
  })
})

describe('cancelling a run', () => {
  test('[N-12] stops it after the current part, and says what was done and what was not', async () => {
    await record(1_000)
    const { data } = await confirm()
    await part(data._id)
    const cancelled = await cancel(data._id)
    expect(cancelled).toMatchObject({ status: 200, message: 'The rest of the earnings is cancelled' })
    expect(cancelled.data).toMatchObject({
      status: 'cancelled',
      added: earningPart,
      addedTotal: 350,
      left: many - earningPart,
      leftTotal: 350.35,
    })
    await part(data._id)
    expect([await available(), await left()]).toEqual([35_000n, 65_000n])
    const log = await world.call(listAudit, world.admin, { query: { q: plan } })
    expect(log.data[0]).toMatchObject({
      action: 'earning.plan_run_cancelled',
      actorName: world.secondAdmin.name,
      reason: 'Wrong month',
      details: { added: '1000, $350.00', left: '1001, $350.35' },
    })
    const before = await world.state()
    expect(await cancel(data._id)).toMatchObject({ status: 409, reason: 'run_ended' })
    expect(await world.state()).toBe(before)
    const { data: rest } = await world.call(call.previewPlanEarnings, world.admin, { params: { id: plan } })
    expect(rest).toMatchObject({ count: many - earningPart, total: 350.35 })
  })

  test('of an unknown run is refused, and so is an investor', async () => {
    await record(1_000)
    const { data } = await confirm()
    expect(await cancel('019aa000-0000-7000-8000-000000000000')).toMatchObject({ status: 404 })
    expect(await cancel(data._id, ines)).toMatchObject({ status: 403 })
    expect((await latest()).status).toBe('running')
  })
})

test('[X-04, B-05] a worker killed within a part has another one go on, and nothing is doubled', async () => {
  await record(1_000)
  await confirm()
  const holder = await world.ownerPool.connect()
  try {
    await lockTable(holder, 'app.notifications')
    const first = startWorker(world, {})
    await until(() => isWaitedFor(world, 'app.notifications'))
    await kill(first)
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  startWorker(world, {})
  await until(async () => (await latest()).status !== 'running')
  expect(await latest()).toMatchObject({ status: 'done', added: many, skipped: 0 })
  expect([await available(), await lines('earning.added')]).toEqual([wholeCents, many])
  await expectSoundBooks()
})

test('[B-01, B-04] the database commits no earning as paid that nothing pays', async () => {
  const added = world.owner(
    `INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by, paid_at)
     SELECT uuidv7(), user_id, id, ${shareCents}, 'paid', '${world.admin.id}', now()
       FROM app.investments WHERE id IN ('${ids[0]}', '${ids[1]}')`,
  )
  await expect(added).rejects.toMatchObject({
    code: 'PB105',
    message: expect.stringContaining('nothing pays'),
  })
})
