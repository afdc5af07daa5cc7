import { beforeEach, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { writeLog } from './epochs.ts'

/** The check of the books compares the public log with the journal. */

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
  const { checks } = await checkBooks(world.services.pool, { info() {}, error() {} } as never)
  return checks.filter(({ faults }) => faults > 0).map(({ name }) => name)
}

test('the public log agrees with the journal after each pass', async () => {
  expect(await broken()).toEqual([])
  await world.fund(await world.person('Ben'), 110_00n)
  expect(await broken()).toEqual([])
})

const newest = '(SELECT max(index) FROM ledger.log WHERE transaction_id IS NOT NULL)'
test.each([
  ['a leaf taken out', `DELETE FROM ledger.log WHERE index = ${newest}`, ['log_complete', 'log_figures']],
  [
    'a leaf of no transaction',
    `UPDATE ledger.log SET transaction_id = uuidv7() WHERE index = ${newest}`,
    ['log_complete', 'log_figures'],
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
