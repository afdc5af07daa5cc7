import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { freezeUser } from '#shared/contract/console.ts'
import { approveDeposits, newDeposit } from '#shared/contract/deposits.ts'
import * as call from '#shared/contract/withdrawals.ts'
import { bulkPart, maximumBulk } from '#shared/limits.ts'
import { freshAddress, transactionOf, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  await world.fund(investor, 1_000_000n)
})

const acts = withdrawalsIn(() => world)
const requested = (count: number, who = investor, amount?: number) => acts.askMany(who, count, amount)
const recordsOf = (ids: readonly string[]) => ids.map(id => ({ id }))
const approve = (ids: readonly string[], { key, by = world.admin }: { key?: string; by?: Person } = {}) =>
  world.call(
    call.approveWithdrawals,
    by,
    { body: { records: recordsOf(ids) } },
    key === undefined ? {} : { idempotencyKey: key },
  )
const statusOf = async (id: string) =>
  (await world.call(call.getWithdrawal, world.admin, { params: { id } })).data.status
const linesAbout = async (id: string, action: string) => {
  const sameSubject = `SELECT count(*)::int AS lines FROM app.audit_log WHERE subject_id = '${id}' AND action = '${action}'`
  return (await world.owner(sameSubject)).rows[0].lines
}
const emailsAbout = async (id: string, notice: string) => {
  const { rows } = await world.owner(
    `SELECT count(*)::int AS emails FROM graphile_worker._private_jobs
      WHERE payload ->> 'id' = '${id}' AND payload ->> 'notice' = '${notice}'`,
  )
  return rows[0].emails
}
/** A trigger that fails statements which approve this withdrawal; returns its removal. */
async function failing(id: string, state = 'P0001') {
  await world.owner(`
    CREATE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'no' USING ERRCODE = '${state}'; END $$;
    CREATE TRIGGER failing BEFORE UPDATE ON app.withdrawals FOR EACH ROW WHEN (NEW.id = '${id}') EXECUTE FUNCTION app.fail()`)
  const remove = () => world.owner('DROP FUNCTION IF EXISTS app.fail CASCADE')
  onTestFinished(async () => void (await remove()))
  return remove
}

describe('a bulk call', () => {
  test('[N-13] answers each record in the order given; a refusal does not affect others', async () => {
    const [first, second, third] = await requested(3)
    await acts.approve(second!)
    const unknown = '019aa000-0000-7000-8000-000000000000'
    const { status, data } = await approve([third!, second!, unknown, first!])
    expect(status).toBe(200)
    expect(data).toMatchObject([
      { id: third, done: true, message: 'Withdrawal approved', code: null },
      { id: second, done: false, code: 'wrong_state', reason: 'wrong_status' },
      { id: unknown, done: false, code: 'not_found', message: 'There is no such withdrawal' },
      { id: first, done: true },
    ])
    for (const id of [first!, second!, third!]) {
      expect(await statusOf(id)).toBe('approved')
      expect(await linesAbout(id, 'withdrawal.approved')).toBe(1)
      expect(await emailsAbout(id, 'withdrawal.approved')).toBe(1)
    }
  })

  test('[N-13] each record has its own transaction id, and one id pays an address once', async () => {
    const [first, second] = await requested(2)
    const { data: other } = await acts.ask(investor, 10, {
      wallet: 'USDT ERC-20',
      walletAddress: freshAddress(),
    })
    await approve([first!, second!, other._id])
    const records = [
      { id: first!, transactionId: transactionOf(first!) },
      { id: second!, transactionId: transactionOf(first!) },
      { id: other._id, transactionId: `0x${transactionOf(other._id)}` },
    ]
    const { data } = await world.call(call.payWithdrawals, world.secondAdmin, { body: { records } })
    expect(data).toMatchObject([
      { done: true, message: 'Withdrawal marked as paid' },
      { done: false, code: 'transaction_reused' },
      { done: true },
    ])
    expect(await Promise.all([first!, second!, other._id].map(statusOf))).toEqual([
      'paid',
      'approved',
      'paid',
    ])
  })

  test("[D7] adds up what one person approves alone, in the list's order", async () => {
    const rich = [await world.person('Rita Rich'), await world.person('Rolf Rich')] as const
    for (const who of rich) await world.fund(who, 2_000_000n)
    const amount = 6_000
    const ids = [(await requested(1, rich[0], amount))[0]!, (await requested(1, rich[1], amount))[0]!]
    const by = await world.person('Fiona Finance', 'finance')
    const { data } = await approve(ids, { by })
    expect(data).toMatchObject([
      { done: true, needsSecondApproval: false, message: 'Withdrawal approved' },
      {
        done: true,
        needsSecondApproval: true,
        message: expect.stringContaining('First approval recorded. You have reached your limit'),
      },
    ])
    expect(await Promise.all(ids.map(statusOf))).toEqual(['approved', 'pending'])
  })

  test("[N-12] refuses a frozen account's record alone", async () => {
    const other = await world.person('Fred Frozen')
    await world.fund(other, 10_000n)
    const [frozen] = await requested(1, other)
    const [first] = await requested(1)
    const body = { reason: 'Asked about a payment' }
    await world.call(freezeUser, world.admin, { params: { id: other.id }, body })
    expect((await approve([frozen!, first!])).data).toMatchObject([
      { done: false, code: 'account_frozen' },
      { done: true },
    ])
  })

  test('an unexpected failure of one record is reported, and the others are done', async () => {
    const ids = await requested(3)
    await failing(ids[1]!)
    const { status, data } = await approve(ids)
    expect([status, ...data.map(({ code }) => code)]).toEqual([200, null, 'internal', null])
    expect(await Promise.all(ids.map(statusOf))).toEqual(['approved', 'pending', 'approved'])
  })

  test.each([
    ['no record', 0],
    ['too many records', maximumBulk + 1],
  ])('[K-04] refuses %s', async (_, count) => {
    const ids = Array.from({ length: count }, () => crypto.randomUUID())
    expect(await approve(ids)).toMatchObject({ status: 400, code: 'invalid_input' })
  })

  test('[K-04] refuses a record that is named twice', async () => {
    const [id] = await requested(1)
    expect(await approve([id!, id!])).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(await statusOf(id!)).toBe('pending')
  })
})

describe('its idempotency key', () => {
  test('[B-06] repeats the results, done and refused alike, without another effect', async () => {
    const [first, second] = await requested(2)
    await acts.decline(second!)
    const { status, data } = await approve([first!, second!], { key: 'repeated' })
    expect(data.map(({ done }) => done)).toEqual([true, false])
    const before = await world.state()
    expect(await approve([first!, second!], { key: 'repeated' })).toMatchObject({ status, data })
    expect(await world.state()).toBe(before)
  })

  test('[B-06] of parallel calls with one key each record is done once, with one answer', async () => {
    const ids = await requested(5)
    const answers = await Promise.all(Array.from({ length: 4 }, () => approve(ids, { key: 'parallel' })))
    for (const { data } of answers) expect(data.map(({ done }) => done)).toEqual(ids.map(() => true))
    for (const id of ids) expect(await linesAbout(id, 'withdrawal.approved')).toBe(1)
  })

  test('[B-06] goes on where an unavailable database interrupted the call', async () => {
    const ids = await requested(bulkPart + 2)
    const repair = await failing(ids.at(-1)!, '57P01')
    expect(await approve(ids, { key: 'interrupted' })).toMatchObject({ status: 503, code: 'not_ready' })
    expect(await statusOf(ids[0]!)).toBe('approved')
    await repair()
    const { data } = await approve(ids, { key: 'interrupted' })
    expect(data.filter(({ done }) => !done)).toEqual([])
    for (const id of [ids[0]!, ids.at(-1)!]) expect(await linesAbout(id, 'withdrawal.approved')).toBe(1)
  })

  test('[B-06] is refused for another list', async () => {
    const [first, second] = await requested(2)
    await approve([first!], { key: 'other' })
    expect(await approve([first!, second!], { key: 'other' })).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    })
    expect(await statusOf(second!)).toBe('pending')
  })
})

test('[B-03] acts that post one after the other keep the books sound in one transaction', async () => {
  const people = [investor, await world.person('Otto Other')]
  const ids: string[] = []
  for (const who of [...people, ...people]) {
    const { data } = await world.call(newDeposit, who, { body: { method: 'usdt', amount: 150 } })
    ids.push(data._id)
  }
  const approveAll = (list: string[]) =>
    world.call(approveDeposits, world.admin, { body: { records: recordsOf(list) } })
  const [one, other] = await Promise.all([approveAll(ids), approveAll(ids.toReversed())])
  const done = [...one.data, ...other.data].filter(result => result.done)
  expect(done.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(await Promise.all(people.map(who => world.balances(who)))).toMatchObject([
    { available: 1_030_000n },
    { available: 30_000n },
  ])
})
