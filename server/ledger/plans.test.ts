import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPool } from '#server/platform/database/pool.ts'
import { investorWith, withdrawalCommand } from '#test/support/books.ts'
import { testDatabase } from '#test/support/database.ts'
import { MoneyWriter } from './batch.ts'

const COMMANDS = 100
/** Rows of one table that a command reads: its accounts twice, the guard's check, an update. */
const MOST_READ = 12

test('a command reads no more after many others, even if planned on empty tables', async () => {
  const database = await testDatabase({ own: true })
  const session = openPool({ url: database.appUrl, as: 'app', name: 'probity test', max: 1 })
  const writer = new MoneyWriter(session)
  const withdraw = async (userId: string) => {
    const key = { key: randomUUID(), hash: randomBytes(32) }
    expect(await writer.execute(withdrawalCommand(userId, 100n, key))).toHaveProperty('result')
  }
  const rowsRead = async () => {
    // Ends the count of the preparation's reads.
    for (const reader of [session, database.app, database.owner])
      await reader.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await database.owner.query<{ name: string; read: bigint }>(
      `SELECT schemaname || '.' || relname AS name, seq_tup_read + coalesce(idx_tup_fetch, 0) AS read
         FROM pg_stat_user_tables WHERE schemaname IN ('app', 'ledger')`,
    )
    return new Map(rows.map(({ name, read }) => [name, Number(read)]))
  }
  // The session plans with its first command, when the tables are nearly empty.
  const first = await investorWith(database, 100n)
  await database.owner.query('VACUUM (ANALYZE)')
  await withdraw(first)
  const investors: string[] = []
  for (let i = 0; i < COMMANDS; i++) investors.push(await investorWith(database, 200n))
  for (const investor of investors) await withdraw(investor)

  const before = await rowsRead()
  for (const investor of investors) await withdraw(investor)
  const after = await rowsRead()
  await session.end()
  const tooMany = [...after].filter(([name, read]) => read - (before.get(name) ?? 0) > MOST_READ * COMMANDS)
  expect(tooMany).toEqual([])
  expect(after.get('ledger.accounts')).toBeGreaterThan(before.get('ledger.accounts')!)
})
