import { beforeEach, expect, test } from 'vitest'
import { checkBooks, checkNewBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { allEnded } from '#test/support/database.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { writeLog } from './epochs.ts'
import { outsideChecks } from './outside-checks.ts'

/** The check of the books compares the public log with the journal. */

const silent = { info() {}, error() {} } as never
let world: World
beforeEach(async () => {
  world = await openWorld()
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await world.fund(ann, 150_00n)
  await sealBooks(world.services)
  await writeLog(world.services, { closeNow: true })
  await world.fund(ann, 170_00n)
  await sealBooks(world.services)
  await writeLog({ ...world.services, mostTransactions: 1 })
})

/** As the tables' owner, who can do so. */
async function withoutTriggers(change: string): Promise<void> {
  await world.owner('ALTER TABLE ledger.log DISABLE TRIGGER USER, DROP CONSTRAINT log_index_check')
  await world.owner('ALTER TABLE ledger.log_progress DISABLE TRIGGER USER')
  await world.owner(change)
}

async function broken(): Promise<string[]> {
  const { checks } = await checkBooks(world.services.pool, silent)
  return checks.filter(({ faults }) => faults > 0).map(({ name }) => name)
}

test('the public log agrees with the journal after each pass', async () => {
  expect(await broken()).toEqual([])
  await world.fund(await world.person('Ben'), 110_00n)
  expect(await broken()).toEqual([])
})

test('a check of what is new reads new leaves and checkpoints alone', async () => {
  const { services } = world
  const checked = async (check: typeof checkNewBooks) => {
    const { since, ok, checks } = await check(services.pool, silent, outsideChecks(services.config), {
      secrets: services.config,
      now: new Date('2026-01-31T12:00:00Z'),
    })
    const examined = (of: string) => checks.find(({ name }) => name === of)?.examined
    return { since, ok, leaves: examined('log_texts'), checkpoints: examined('checkpoints_signed') }
  }
  await allEnded(services.pool)
  expect(await checked(checkBooks)).toMatchObject({ ok: true, since: null, leaves: 3, checkpoints: 1 })
  // One leaf in the epoch of an earlier one, and two in epochs of their own.
  for (const cents of [100_00n, 110_00n, 120_00n]) {
    await world.fund(await world.person(`With ${cents}`), cents)
    await sealBooks(services)
    await writeLog(services, { closeNow: true })
  }
  const expected = { ok: true, since: expect.any(BigInt), leaves: 3, checkpoints: 3 }
  expect(await checked(checkNewBooks)).toMatchObject(expected)
  expect(await checked(checkBooks)).toMatchObject({ ok: true, since: null, leaves: 6, checkpoints: 4 })
})

const newest = '(SELECT max(index) FROM ledger.log WHERE transaction_id IS NOT NULL)'
test.each([
  ['a leaf taken out', `DELETE FROM ledger.log WHERE index = ${newest}`, ['log_complete']],
  [
    'a leaf of no transaction',
    `UPDATE ledger.log SET transaction_id = uuidv7() WHERE index = ${newest}`,
    ['log_complete'],
  ],
  [
    'two leaves swapped',
    `UPDATE ledger.log SET index = -index - 9 WHERE index < 2; UPDATE ledger.log SET index = 10 + index WHERE index < 0`,
    ['log_complete'],
  ],
  ['a total', `UPDATE ledger.log_progress SET totals = totals || '{"available USD": "1"}'`, ['log_figures']],
  [
    'a total of nothing',
    `UPDATE ledger.log_progress SET totals = totals || '{"held USD": "1"}'`,
    ['log_figures'],
  ],
  ['a balance', 'UPDATE ledger.log_balances SET balance = balance + 1', ['log_figures']],
  ['a balance taken out', 'DELETE FROM ledger.log_balances', ['log_figures']],
])('the check of the books finds in the public log: %s', async (_what, change, names) => {
  await withoutTriggers(change)
  expect(await broken()).toEqual(names)
})
