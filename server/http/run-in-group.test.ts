import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import * as call from '#shared/contract/withdrawals.ts'
import { transactionOf, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
let fiona: Person
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  fiona = await world.person('Fiona Finance', 'finance')
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  await world.fund(investor, 2_000_000n)
})

const acts = withdrawalsIn(() => world)
const requested = (count: number, who = investor, amount?: number) => acts.askMany(who, count, amount)
type Options = { reason?: string; idempotencyKey?: string }
const approve = (id: string, by: Person, { reason, ...options }: Options = {}) =>
  world.call(
    call.approveWithdrawal,
    by,
    { params: { id }, body: reason === undefined ? {} : { reason } },
    options,
  )
const pay = (id: string, by: Person, transactionId = transactionOf(id)) =>
  world.call(call.payWithdrawal, by, { params: { id }, body: { transactionId } })
const statusOf = async (id: string) =>
  (await world.call(call.getWithdrawal, world.admin, { params: { id } })).data.status
/** In how many transactions these approvals were given. */
const transactionsOf = async (ids: readonly string[]) => {
  const { rows } = await world.ownerPool.query(
    'SELECT count(DISTINCT xmin::text)::int AS transactions FROM app.withdrawal_approvals WHERE withdrawal_id = ANY ($1)',
    [ids],
  )
  return rows[0].transactions
}

describe('requests for one call that arrive together', () => {
  test('[N-12] share transactions, and each keeps its own person, reason and line', async () => {
    const ids = await requested(24)
    const people = [world.admin, world.secondAdmin, fiona]
    const personOf = (index: number) => people[index % people.length]!
    const answers = await Promise.all(
      ids.map((id, index) => approve(id, personOf(index), { reason: `Reason ${index}` })),
    )
    expect(answers.map(({ data }) => data._id)).toEqual(ids)
    expect(await transactionsOf(ids)).toBeLessThan(ids.length)
    const { rows } = await world.ownerPool.query(
      `SELECT subject_id AS id, actor_id AS actor, reason, count(*) OVER (PARTITION BY request_id)::int AS lines
         FROM app.audit_log WHERE action = 'withdrawal.approved' AND subject_id = ANY ($1)`,
      [ids],
    )
    const lines = ids.map((id, index) => ({
      id,
      actor: personOf(index).id,
      reason: `Reason ${index}`,
      lines: 1,
    }))
    expect(rows).toHaveLength(lines.length)
    expect(rows).toEqual(expect.arrayContaining(lines))
    const { rows: approvals } = await world.ownerPool.query(
      'SELECT withdrawal_id AS id, admin_id AS by FROM app.withdrawal_approvals WHERE withdrawal_id = ANY ($1)',
      [ids],
    )
    const theirs = ids.map((id, index) => ({ id, by: personOf(index).id }))
    expect(approvals).toHaveLength(theirs.length)
    expect(approvals).toEqual(expect.arrayContaining(theirs))
  })

  test('[C-12, D7] are refused one by one', async () => {
    const [first, second, third] = await requested(3)
    await approve(third!, world.admin)
    await approve(second!, world.admin)
    const answers = await Promise.all([
      pay(first!, world.secondAdmin),
      pay(second!, world.admin),
      pay(third!, world.secondAdmin),
      pay('019aa000-0000-7000-8000-000000000000', fiona),
    ])
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [409, 'wrong_state'],
      [409, 'same_approver'],
      [200, undefined],
      [404, 'not_found'],
    ])
    expect(await Promise.all([first!, second!, third!].map(statusOf))).toEqual([
      'pending',
      'approved',
      'paid',
    ])
  })

  test('[C-12, D7] let each person pay what another one approved', async () => {
    const ids = await requested(12)
    const [even, odd] = [world.admin, world.secondAdmin]
    await Promise.all(ids.map((id, n) => approve(id, n % 2 === 0 ? even : odd)))
    const answers = await Promise.all(ids.map((id, n) => pay(id, n % 2 === 0 ? odd : even)))
    expect(answers.map(({ data }) => data.status)).toEqual(ids.map(() => 'paid'))
    const { rows } = await world.ownerPool.query(
      `SELECT w.id, w.paid_by AS by, t.actor FROM app.withdrawals w
         JOIN ledger.transactions t ON t.reference_id = w.id AND t.event = 'withdrawal.paid' WHERE w.id = ANY ($1)`,
      [ids],
    )
    const payers = ids.map((id, n) => ({ id, by: (n % 2 === 0 ? odd : even).id }))
    expect(rows).toHaveLength(12)
    expect(rows).toEqual(expect.arrayContaining(payers.map(payer => ({ ...payer, actor: payer.by }))))
  })

  test('are each done alone if a conflict with other work undid their transaction', async () => {
    const ids = await requested(12)
    await world.owner(`
      CREATE FUNCTION app.conflict() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM changed) > 1 THEN RAISE 'another transaction' USING ERRCODE = '40001'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER conflict AFTER UPDATE ON app.withdrawals REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION app.conflict()`)
    onTestFinished(async () => void (await world.owner('DROP FUNCTION app.conflict CASCADE')))
    const answers = await Promise.all(ids.map(id => approve(id, world.admin)))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect(await transactionsOf(ids)).toBe(12)
  })

  test('[C-12] find a record by its id in capitals, too', async () => {
    const [id] = await requested(1)
    const { status, data } = await approve(id!.toUpperCase(), world.admin)
    expect([status, data._id]).toEqual([200, id])
  })

  test('[S-04] act on a record once: the second request finds what became of it', async () => {
    const [id] = await requested(1)
    const answers = await Promise.all([world.admin, world.secondAdmin, fiona].map(by => approve(id!, by)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await transactionsOf([id!])).toBe(1)
  })

  test('[B-06] with one key are answered once', async () => {
    const [id] = await requested(1)
    const idempotencyKey = 'one-key'
    const answers = await Promise.all([1, 2, 3].map(() => approve(id!, world.admin, { idempotencyKey })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    const { rows } = await world.owner(`SELECT FROM app.audit_log WHERE subject_id = '${id}'`)
    expect(rows).toHaveLength(2)
  })

  test('[B-06] refuse a reused key alone', async () => {
    const [first, second, third] = await requested(3)
    await approve(first!, world.admin, { idempotencyKey: 'reused' })
    const answers = await Promise.all([
      approve(second!, world.admin, { idempotencyKey: 'reused' }),
      approve(third!, world.secondAdmin),
    ])
    expect(answers).toMatchObject([{ status: 422, code: 'idempotency_key_reused' }, { status: 200 }])
    expect(await Promise.all([second!, third!].map(statusOf))).toEqual(['pending', 'approved'])
  })

  test('[D7] add up what each person approves alone', async () => {
    const other = await world.person('Rita Rich')
    await world.fund(other, 2_000_000n)
    const ids = [...(await requested(1, investor, 6_000)), ...(await requested(1, other, 6_000))]
    const [last] = await requested(1)
    const filip = await world.person('Filip Finance', 'finance')
    await Promise.all([approve(ids[0]!, filip), approve(ids[1]!, filip), approve(last!, fiona)])
    expect((await Promise.all(ids.map(statusOf))).sort()).toEqual(['approved', 'pending'])
    expect(await statusOf(last!)).toBe('approved')
  })

  test('[C-12] of two payments by one transaction, one is refused', async () => {
    const ids = await requested(3)
    for (const id of ids) await approve(id, world.admin)
    const [first, second, third] = ids
    const answers = await Promise.all([
      pay(first!, world.secondAdmin),
      pay(second!, fiona, transactionOf(first!)),
      pay(third!, fiona),
    ])
    const codes = answers.map(({ code }) => code)
    expect(codes.slice(0, 2).sort()).toEqual(['transaction_reused', undefined])
    expect(codes[2]).toBeUndefined()
  })

  test('[C-13] decline each with its own reason, and release each hold', async () => {
    const ids = await requested(8)
    const before = await world.balances(investor)
    const answers = await Promise.all(
      ids.map((id, n) => {
        const by = n % 2 === 0 ? world.admin : fiona
        return world.call(call.declineWithdrawal, by, { params: { id }, body: { reason: `Reason ${n}` } })
      }),
    )
    for (const [n, { data }] of answers.entries()) {
      expect(data).toMatchObject({ _id: ids[n], status: 'declined', declineReason: `Reason ${n}` })
    }
    expect(await world.balances(investor)).toEqual({
      ...before,
      available: before.available + 8_000n,
      held: before.held - 8_000n,
    })
    const { rows } = await world.ownerPool.query(
      `SELECT count(DISTINCT t.xmin::text)::int AS transactions, array_agg(DISTINCT t.memo ORDER BY t.memo) AS memos,
              array_agg(DISTINCT t.actor::text ORDER BY t.actor::text) AS actors
         FROM ledger.transactions t WHERE t.reference_id = ANY ($1) AND t.event = 'withdrawal.declined'`,
      [ids],
    )
    expect(rows[0].transactions).toBeLessThan(8)
    expect(rows[0].memos).toEqual(ids.map((_, n) => `Reason ${n}`))
    expect(rows[0].actors).toEqual([world.admin.id, fiona.id].sort())
  })

  test('do not wait for one whose record another session has locked', async () => {
    const [locked, free, next] = await requested(3)
    const session = await world.ownerPool.connect()
    onTestFinished(() => session.release())
    await session.query('BEGIN')
    await session.query('SELECT FROM app.withdrawals WHERE id = $1 FOR UPDATE', [locked])
    let isAnswered = false
    const waiting = approve(locked!, world.admin).finally(() => {
      isAnswered = true
    })
    expect((await approve(free!, world.secondAdmin)).status).toBe(200)
    expect((await approve(next!, fiona)).status).toBe(200)
    expect(isAnswered).toBe(false)
    await session.query('COMMIT')
    expect((await waiting).status).toBe(200)
  })
})
