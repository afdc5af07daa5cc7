import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkBooks, checkNewBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { outsideChecks } from '#server/proof/outside-checks.ts'
import { freezeUser } from '#shared/contract/console.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, approveEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { copyDatabase, dropDatabase } from '#test/support/database.ts'
import { administer } from '#test/support/temporary-postgres.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { findable, foundNextDay, type Role, refusable, withoutTriggers } from './tampering.ts'

const secrets = { tokenSecret: 'x'.repeat(32), formerSecrets: [] }
const keeper = { secrets, now: new Date('2026-01-31T12:00:00Z') }
const nextDay = { secrets, now: new Date('2026-02-01T00:07:00Z') }
const silent = { info() {}, error() {} } as never
const { ask, approve, pay } = withdrawalsIn(() => world)

let world: World
/** What each change gets a copy of: with all acts after the verified point, or all before it. */
let original: string
let verified: string
/** A copy that every change is refused on. */
let unchanged: string

const outside = () => outsideChecks({ ...world.services.config, ...secrets })

async function investAs(who: Person): Promise<string> {
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  return (await world.call(newInvestment, who, { body })).data._id
}

beforeAll(async () => {
  world = await openWorld()
  const [able, baker] = [await world.person('Alice Able'), await world.person('Bob Baker')]
  const cold = await world.person('Carl Cold')
  await world.fund(able, 10_000_000n)
  await world.fund(baker, 1_000_000n)
  await world.fund(cold, 100_000n)
  const { pool, clock } = world.services
  expect((await checkBooks(pool, silent, outside(), keeper)).ok).toBe(true)
  const seal = () => sealBooks({ pool, config: secrets, clock, log: silent })
  await ask(able, 100)
  const { data } = await ask(able, 200)
  await approve(data._id)
  await pay(data._id)
  await ask(able, 20_000)
  expect(await seal()).toBe(1)
  await world.call(newDeposit, baker, { body: { method: 'usdt', amount: 100 } })
  await investAs(able)
  const investmentId = await investAs(able)
  await world.call(approveInvestment, world.admin, { params: { id: investmentId } })
  const realised = { amount: 50, source: 'Rent', realisedAt: '2026-01-31', evidence: 'https://example.com/r' }
  await world.call(newReturn, world.admin, { body: realised })
  const added = await world.call(addEarning, world.admin, {
    params: { userId: able.id },
    body: { amount: 1, investmentId },
  })
  // Nothing has accrued, so it needs a second person.
  await world.call(approveEarning, world.secondAdmin, { params: { id: added.data[0]!._id } })
  await world.call(approveInvestment, world.admin, { params: { id: await investAs(cold) } })
  await world.call(freezeUser, world.admin, { params: { id: cold.id }, body: { reason: 'A lost device' } })
  expect(await seal()).toBe(1)
  const services = { ...world.services, config: { ...world.services.config, ...secrets } }
  expect(await writeLog(services, { closeNow: true })).toBe(1)
  original = new URL(world.database.appUrl).pathname.slice(1)
  await closeToOthers(original)
  verified = await copyDatabase(original)
  unchanged = await copyDatabase(original)
  await checking(verified, async broken => expect(await broken('everything')).toEqual([]))
  await closeToOthers(verified)
})

/** PostgreSQL copies only a database that nobody uses. */
async function closeToOthers(name: string): Promise<void> {
  await administer(
    inject('postgres').superuserUrl,
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
}

afterAll(async () => {
  await dropDatabase(verified)
  await dropDatabase(unchanged)
})

const urlOf = (role: Role, name: string) => {
  const { appUrl, ownerUrl, superuserUrl } = inject('postgres')
  const url = new URL({ app: appUrl, owner: ownerUrl, superuser: superuserUrl }[role])
  url.pathname = `/${name}`
  return url.href
}

/** Makes a change as one transaction. Returns its SQLSTATE if it is refused, else null. */
async function make(role: Role, name: string, statements: string): Promise<string | null> {
  const client = new Client({ connectionString: urlOf(role, name) })
  await client.connect()
  try {
    if (role === 'app') await client.query('SET ROLE probity_app')
    if (role === 'superuser') await client.query(`SET ${withoutTriggers}`)
    await client.query(`BEGIN; ${statements}; COMMIT`)
    return null
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await client.end()
  }
}

type Finding = (what: 'everything' | 'new', by?: typeof keeper) => Promise<string[]>

/** With the names of the invariants that a check of this database finds broken. */
async function checking(name: string, work: (broken: Finding) => Promise<void>): Promise<void> {
  const pool = openPool({ url: urlOf('app', name), as: 'app', name: 'probity test', max: 1 })
  const broken: Finding = async (what, by = keeper) => {
    const check = what === 'new' ? checkNewBooks : checkBooks
    const { checks, ok } = await check(pool, silent, outside(), by)
    const found = checks.filter(({ faults }) => faults > 0)
    expect(ok).toBe(found.length === 0)
    return found.map(check => check.name)
  }
  await work(broken).finally(() => pool.end())
}

/** On a copy of its own, which is dropped afterwards. */
async function onCopy(of: string, work: (name: string, broken: Finding) => Promise<void>): Promise<void> {
  const name = await copyDatabase(of)
  await checking(name, broken => work(name, broken)).finally(() => dropDatabase(name))
}

test('[B-03] the books of this suite are in order before anybody touches them', () =>
  onCopy(original, async (_, broken) => {
    expect(await broken('new')).toEqual([])
    expect(await broken('everything')).toEqual([])
  }))

describe('somebody with a login of the database', () => {
  test.each(refusable)('[B-01] %s: %s', async (role, _, statements, { refused }) => {
    expect(await make(role, unchanged, statements)).toBe(refused)
  })

  test('[B-03] the books are in order after all that is refused', () =>
    checking(unchanged, async broken => expect(await broken('everything')).toEqual([])))

  test.each(findable)('[B-01, B-03] %s: %s', (role, _, statements, { found }) =>
    onCopy(original, async (name, broken) => {
      expect(await make(role, name, statements)).toBe(null)
      expect(await broken('new')).toContain(found)
      expect(await broken('everything')).toContain(found)
    }),
  )

  test.each(findable)('[B-03] %s: %s, of what was verified', (role, _, statements, { found }) =>
    onCopy(verified, async (name, broken) => {
      expect(await make(role, name, statements)).toBe(null)
      expect(await broken('new')).toContain(found)
    }),
  )

  test.each(foundNextDay)('[B-03] %s: %s, found the next day', (role, _, statements, { found }) =>
    onCopy(verified, async (name, broken) => {
      expect(await make(role, name, statements)).toBe(null)
      await broken('new')
      expect(await broken('new', nextDay)).toContain(found)
    }),
  )
})
