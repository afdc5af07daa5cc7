import type { CompiledQuery, Kysely } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { userList } from '#server/accounts/queries.ts'
import { auditList } from '#server/audit/queries.ts'
import { messageList } from '#server/contact/queries.ts'
import { depositList } from '#server/deposits/queries.ts'
import { earningList } from '#server/earnings/queries.ts'
import { investmentList } from '#server/investments/queries.ts'
import { type Clock, systemClock } from '#server/platform/clock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { returnList } from '#server/returns/queries.ts'
import { withdrawalList } from '#server/withdrawals/queries.ts'
import {
  auditTable,
  depositTable,
  earningTable,
  investmentTable,
  messageTable,
  returnTable,
  userTable,
  withdrawalTable,
} from '#shared/contract/tables.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'

type Sources = { db: Kysely<Schema>; clock: Clock }
type List = { all(sources: Sources, filter: { sort?: string }): CompiledQuery<unknown> }

const files: [string, { shape: { sort: { unwrap(): { options: readonly string[] } } } }, List][] = [
  ['users', userTable, userList],
  ['deposits', depositTable, depositList],
  ['withdrawals', withdrawalTable, withdrawalList],
  ['investments', investmentTable, investmentList],
  ['earnings', earningTable, earningList],
  ['returns', returnTable, returnList],
  ['messages', messageTable, messageList],
  ['audit log', auditTable, auditList],
]

/** A user's balance has no index: each posting would have to update it (decision 22). */
const isSorted = (file: string, sort = '') => file === 'users' && sort.endsWith('balance')

const cases = files.flatMap(([file, table, list]) =>
  [undefined, ...table.shape.sort.unwrap().options].map(sort => ({
    file,
    list,
    sort,
    order: sort ?? 'the newest first',
  })),
)

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ own: true })
})

type Node = { 'Node Type': string; 'Parent Relationship'?: string; Plans?: Node[] }

/** The nodes of a plan, without each row's look-ups: queries of its own, and what a nested loop finds for it. */
function nodesOf(node: Node): string[] {
  const lookups = node['Node Type'] === 'Nested Loop' ? ['SubPlan', 'Inner'] : ['SubPlan']
  const parts = (node.Plans ?? []).filter(part => !lookups.includes(part['Parent Relationship'] ?? ''))
  return [node['Node Type'], ...parts.flatMap(nodesOf)]
}

/** How the database sorts a cursor's rows where no index has the order. */
async function planOf({ sql, parameters }: CompiledQuery): Promise<string[]> {
  const session = await database.app.connect()
  try {
    await session.query('BEGIN; SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off')
    const { rows } = await session.query(
      `EXPLAIN (FORMAT JSON) DECLARE batches NO SCROLL CURSOR FOR ${sql}`,
      [...parameters],
    )
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await session.query('ROLLBACK')
    session.release()
  }
}

test.each(cases)(
  '[N-13] the file of the $file, $order: its first rows are read without those that follow',
  async ({ file, list, sort }) => {
    const nodes = await planOf(list.all({ db: database.db, clock: systemClock }, { sort }))
    expect(nodes.includes('Sort'), nodes.join()).toBe(isSorted(file, sort))
  },
)
