import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '#server/platform/database/migrate.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { investorWith, withdrawalCommand } from '#test/support/books.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
import { until } from '#test/support/processes.ts'
import { replicatedPostgres } from '#test/support/replicated-postgres.ts'
import { MoneyWriter } from './batch.ts'
import { claimKey, keepAnswer } from './idempotency.ts'

// With synchronous replication, PostgreSQL acknowledges a commit once a standby has it. A session that ends while it waits leaves
// its transaction visible all the same, and on this server alone.

const STATEMENT_TIMEOUT_MS = 300

/** A primary whose synchronous standby is away until `returns`. */
async function primaryWithoutStandby() {
  const { primary } = await replicatedPostgres()
  await migrate({ ownerUrl: primary.url, appUrl: primary.url })
  const pool = (as: 'app' | 'owner', statementTimeoutMs = 15_000) => {
    const opened = openPool({ url: primary.url, as, name: 'probity test', statementTimeoutMs })
    onTestFinished(() => opened.end())
    return opened
  }
  const [app, owner] = [pool('app', STATEMENT_TIMEOUT_MS), pool('owner')]
  await allowPostingsWithoutRecords({ owner })
  const database = { app, owner, db: openDatabase(app), appUrl: primary.url, ownerUrl: primary.url }
  const userId = await investorWith(database, 10_000n)
  const waiting = async () => {
    const { rows } = await owner.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    return rows.length > 0
  }
  const isWaiting = () => until(waiting).then(() => 'waits')
  const standbys = (names: string) =>
    primary.administer(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, 'SELECT pg_reload_conf()')
  const endWaiting = () =>
    primary.administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
  await standbys('absent')
  // The setting works once the checkpointer has read it.
  const probe = () => owner.query("SELECT pg_logical_emit_message(true, 'probe', '')").then(() => 'done')
  while ((await Promise.race([probe().catch(() => 'ended'), isWaiting()])) === 'done');
  await endWaiting()
  await until(async () => !(await waiting()))
  return { database, userId, isWaiting, endWaiting, returns: () => standbys('') }
}

type Primary = Awaited<ReturnType<typeof primaryWithoutStandby>>
type Act = (primary: Primary, key: string) => Promise<unknown>

const hash = Buffer.alloc(32, 1)
const acts: Record<string, Act> = {
  'an act': ({ database, userId: caller }, key) =>
    database.db.transaction().execute(async tx => {
      const request = { caller, key, hash }
      return (await claimKey(tx, request)) ?? (await keepAnswer(tx, request, { id: randomUUID() }))
    }),
  'a money command': async ({ database, userId }, key) => {
    const outcome = await new MoneyWriter(database.app).execute(
      withdrawalCommand(userId, 100n, { key, hash }),
    )
    return 'result' in outcome && outcome.result
  },
}

test.each(Object.entries(acts))('%s is answered again only once a standby has it', async (_name, act) => {
  const primary = await primaryWithoutStandby()
  const key = randomUUID()
  const first = act(primary, key).catch(() => 'unknown')
  expect(await Promise.race([first, primary.isWaiting()])).toBe('waits')
  await primary.endWaiting()
  expect(await first).toBe('unknown')
  const repeated = act(primary, key)
  expect(await Promise.race([repeated, primary.isWaiting()])).toBe('waits')
  await primary.returns()
  expect(await act(primary, key)).toEqual(await repeated)
})
