import { beforeAll, expect, test } from 'vitest'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import * as accounts from '#shared/contract/accounts.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { approveDeposit, depositsCsv, newDeposit } from '#shared/contract/deposits.ts'
import * as ledger from '#shared/contract/ledger.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { balanced, openCluster, type WebProcess } from '#test/support/cluster.ts'
import { actsWith, type Person } from '#test/support/cluster-acts.ts'
import { type ReplicatedServer, replicatedPostgres } from '#test/support/replicated-postgres.ts'

let primary: ReplicatedServer
let standby: ReplicatedServer
let web: WebProcess
let admin: Person
let person: Person
const call = balanced(() => [web])
const { pay, funded } = actsWith(call)

/** A web process with a standby for its reads, and a worker. */
beforeAll(async () => {
  const servers = await replicatedPostgres()
  primary = servers.primary
  standby = servers.standby
  const { url } = primary
  const [app, owner] = (['app', 'owner'] as const).map(as => {
    const pool = openPool({ url, as, name: 'probity test' })
    atEnd(() => pool.end())
    return pool
  })
  const database = { app: app!, owner: owner!, db: openDatabase(app!), appUrl: url, ownerUrl: url }
  const cluster = await openCluster({
    database,
    settings: { READ_DATABASE_URL: standby.url, RATE_LIMIT: 'off' },
  })
  cluster.worker()
  web = await cluster.web()
  const people = await funded('Rita Reader', 1_000)
  admin = people.admin
  person = people.person
}, 300_000)

/** Scans of our tables on the standby, without those of the comparison. A session reports its own at its end at the latest. */
async function scans(): Promise<number> {
  const pool = openPool({ url: standby.url, as: 'owner', name: 'probity test', max: 1 })
  try {
    await pool.query(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'probity reads'",
    )
    const { rows } = await pool.query(
      `SELECT sum(seq_scan + coalesce(idx_scan, 0))::float8 AS scans FROM pg_stat_user_tables WHERE relname <> 'machines'`,
    )
    return rows[0].scans
  } finally {
    await pool.end()
  }
}

async function read({ path }: Pick<CallDefinition, 'path'>, token?: string): Promise<string> {
  const headers: HeadersInit = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${web.origin}${path}`, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}
const at = (definition: CallDefinition) => ({ path: `/api${definition.path}` })

test.each<[string, () => Promise<string>]>([
  ['the statement', () => read(at(ledger.statement), person.token)],
  ['its totals', () => read(at(ledger.statementSummary), person.token)],
  ['its CSV', () => read(at(ledger.statementCsv), person.token)],
  ['its PDF', () => read(at(ledger.statementPdf), person.token)],
  ['the chart of balances', () => read(at(ledger.balanceSeries), person.token)],
  ['the chart of earnings', () => read(at(ledger.earningsByMonth), person.token)],
  ['the chart of plans', () => read(at(ledger.allocation), person.token)],
  ['an export of a table', () => read(at(depositsCsv), admin.token)],
  ['the overview of the proof', () => read(at(proofOverview))],
  ['a file of the proof', () => read({ path: '/proof/checkpoint' })],
])('the standby serves %s', async (_name, open) => {
  const before = await scans()
  // A slow machine may have a standby that is behind for a moment.
  await expect
    .poll(async () => {
      await open()
      return await scans()
    })
    .toBeGreaterThan(before)
})

async function approved(amount: number): Promise<void> {
  const deposit = await pay(newDeposit, person, { body: { method: 'usdt', amount } })
  await pay(approveDeposit, admin, { params: { id: deposit._id } })
}

const balanceInFile = async () => {
  const [, newest = ''] = (await read(at(ledger.statementCsv), person.token)).split('\n')
  return newest
}

test('a statement downloaded after an act has it, whether or not the standby lags', async () => {
  for (let amount = 101; amount < 111; amount++) {
    await approved(amount)
    expect(await balanceInFile()).toContain(`,${amount}.00,`)
  }
  await standby.administer('SELECT pg_wal_replay_pause()')
  await approved(150)
  expect(await balanceInFile()).toContain(',150.00,')
  await expect.poll(() => web.output()).toContain('the replica cannot be read; the primary serves')
  await standby.administer('SELECT pg_wal_replay_resume()')
  await expect.poll(() => web.output()).toContain('the replica is read again')
})

test('the product goes on without the standby', async () => {
  await standby.kill()
  await approved(120)
  expect(await balanceInFile()).toContain(',120.00,')
  expect((await call(accounts.me, {}, person)).balance).toBeGreaterThan(1_000)
})
