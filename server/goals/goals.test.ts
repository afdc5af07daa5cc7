import { beforeEach, describe, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import * as call from '#shared/contract/goals.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { maximumGoals, removedGoalDays } from '#shared/limits.ts'
import { dayAfter } from '#shared/moments.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { progressOf } from './progress.ts'
import { notifyEndings, notifyReached } from './service.ts'

/** Goals of investors, and what they are told beforehand (D-31). */
let world: World
let ines: Person
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
  ines = await world.person('Ines Investor')
})

const set = (body: object = {}, by = ines) =>
  world.call(call.newGoal, by, { body: { name: 'House', amount: 1_000, day: null, ...body } })
const goals = async (by = ines) => (await world.call(call.listGoals, by)).data
const bell = async () =>
  (await world.call(listNotifications, ines)).data.filter(({ kind }) =>
    ['goal.reached', 'investment.ending'].includes(kind),
  )

describe('progress', () => {
  const of = (amountCents: bigint, day: string | null, funds: bigint) =>
    progressOf({ amountCents, day }, funds, '2026-11-27')

  test('[D-31] is the total funds, cut to whole percent, and what is missing', () => {
    expect(of(100_000n, null, 0n)).toEqual({ missingCents: 100_000n, percent: 0, monthlyCents: null })
    expect(of(100_000n, null, 99_999n)).toEqual({ missingCents: 1n, percent: 99, monthlyCents: null })
    expect(of(100_000n, null, 250_000n)).toEqual({ missingCents: 0n, percent: 100, monthlyCents: null })
  })

  test('[D-31] divides what is missing among the months ahead, without any earnings', () => {
    expect(of(100_000n, '2027-02-27', 40_000n).monthlyCents).toBe(20_000n)
    // Two whole months only; a part of a cent is rounded up.
    expect(of(100_001n, '2027-02-26', 0n).monthlyCents).toBe(50_001n)
    expect(of(100_000n, '2026-12-01', 0n).monthlyCents).toBe(100_000n)
    expect(of(100_000n, '2026-11-27', 0n).monthlyCents).toBeNull()
    expect(of(100_000n, '2030-01-01', 100_000n).monthlyCents).toBeNull()
  })
})

test('[D-31] a goal shows the total funds, and its owner alone sees it', async () => {
  await world.fund(ines, 25_000n)
  await set({ day: dayAfter(world.clock.now(), 400) })
  expect(await goals()).toMatchObject({
    funds: 250,
    goals: [{ name: 'House', amount: 1_000, missing: 750, percent: 25, reachedAt: null }],
    endingAlertDays: null,
  })
  const eve = await world.person('Eve Other')
  expect((await goals(eve)).goals).toEqual([])
  const params = { id: (await goals()).goals[0]!._id }
  expect((await world.call(call.removeGoal, eve, { params })).status).toBe(403)
  expect((await world.call(call.removeGoal, ines, { params })).status).toBe(200)
  expect((await world.call(call.removeGoal, ines, { params })).status).toBe(403)
  expect((await goals()).goals).toEqual([])
})

test('[D-31] refuses what the funds have reached, a past day, and too many', async () => {
  await world.fund(ines, 100_000n)
  expect(await set()).toMatchObject({ status: 400, fields: { amount: expect.stringContaining('$1,000.00') } })
  const today = dayAfter(world.clock.now(), 0)
  expect(await set({ amount: 2_000, day: today })).toMatchObject({
    status: 400,
    fields: { day: expect.anything() },
  })
  for (let n = 0; n < maximumGoals; n++) await set({ amount: 2_000 })
  expect(await set({ amount: 2_000 })).toMatchObject({ status: 409, reason: 'too_many_goals' })
})

test('[D-31] tells its owner once that their funds have reached it, by the bell and by email', async () => {
  await set()
  await world.fund(ines, 60_000n)
  expect(await notifyReached(world.services)).toBe(0)
  await world.fund(ines, 40_000n)
  expect(await notifyReached(world.services)).toBe(1)
  expect(await notifyReached(world.services)).toBe(0)
  const [told] = await bell()
  expect(told).toMatchObject({
    kind: 'goal.reached',
    text: 'Your total funds have reached $1,000.00: “House”.',
    subject: (await goals()).goals[0]!._id,
  })
  const mail = await noticeWriter(world.services)({ notice: 'goal.reached', id: told!.subject! })
  expect(mail).toMatchObject({ to: ines.email, subject: 'You reached a goal' })
  expect(mail?.text).toContain('/dashboard/goals?goal=')
  expect(mail?.text).toContain('/dashboard/profile#emails')

  await world.call(call.removeGoal, ines, { params: { id: told!.subject! } })
  expect(await bell()).toHaveLength(1)
})

test('[D-31] tells of an ending as many days before as its owner has chosen, once', async () => {
  await world.fund(ines, 100_000n)
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data } = await world.call(newInvestment, ines, { body })
  await world.call(approveInvestment, world.admin, { params: { id: data._id } })
  // The plan lasts 30 days.
  world.clock.pass({ days: 25 })
  expect(await notifyEndings(world.services)).toBe(0)
  const { data: chosen } = await world.call(call.chooseEndingAlert, ines, { body: { days: 3 } })
  expect(chosen.endingAlertDays).toBe(3)
  expect(await notifyEndings(world.services)).toBe(0)
  await world.call(call.chooseEndingAlert, ines, { body: { days: 7 } })
  expect(await notifyEndings(world.services)).toBe(1)
  expect(await notifyEndings(world.services)).toBe(0)
  expect(await bell()).toMatchObject([{ kind: 'investment.ending', subject: data._id }])
  await world.call(call.chooseEndingAlert, ines, { body: { days: null } })
  expect((await goals()).endingAlertDays).toBeNull()
})

test('[D-31] removed goals that were never reached are deleted after a while', async () => {
  await set()
  await world.call(call.removeGoal, ines, { params: { id: (await goals()).goals[0]!._id } })
  await cleanUp(world.services)
  const kept = async () => (await world.owner('SELECT FROM app.goals')).rows.length
  expect(await kept()).toBe(1)
  world.clock.pass({ days: removedGoalDays + 1 })
  await cleanUp(world.services)
  expect(await kept()).toBe(0)
})

test('[D-31] the database lets a goal be reached once and keeps a removed one', async () => {
  await set()
  const app = (statement: string) => world.services.pool.query(statement)
  await app('UPDATE app.goals SET reached_at = now()')
  await expect(app("UPDATE app.goals SET reached_at = now() + interval '1 day'")).rejects.toThrow(
    'reached once',
  )
  await app('UPDATE app.goals SET removed_at = now()')
  await expect(app('UPDATE app.goals SET removed_at = NULL')).rejects.toThrow('removed once')
  await expect(app('UPDATE app.goals SET amount_cents = 1')).rejects.toThrow('permission denied')
})
