import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { outsideChecks } from '#server/proof/outside-checks.ts'
import { freezeUser } from '#shared/contract/console.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, approveEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { administer } from '#test/support/temporary-postgres.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { changes, type Role, withoutTriggers } from './tampering.ts'

const secrets = { tokenSecret: 'x'.repeat(32), formerSecrets: [] }
const silent = { info() {}, error() {} } as never
const { ask, approve, pay } = withdrawalsIn(() => world)

let world: World
/** The database that each change gets a copy of. Nobody else may use it, or PostgreSQL does not copy it. */
let original: string
const copies: string[] = []

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
  await administer(
    inject('postgres').superuserUrl,
    `ALTER DATABASE ${original} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${original}'`,
  )
})

afterAll(async () => {
  const { superuserUrl } = inject('postgres')
  for (const name of copies) await administer(superuserUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
})

/** A copy of the books, by its name. */
async function copy(): Promise<string> {
  const name = `tampered_${randomBytes(6).toString('hex')}`
  await administer(
    inject('postgres').superuserUrl,
    `CREATE DATABASE ${name} TEMPLATE ${original} OWNER probity_owner`,
  )
  copies.push(name)
  return name
}

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

async function brokenIn(name: string): Promise<string[]> {
  const pool = openPool({ url: urlOf('app', name), as: 'app', name: 'probity test', max: 1 })
  try {
    const { checks, ok } = await checkBooks(
      pool,
      silent,
      outsideChecks({ ...world.services.config, ...secrets }),
    )
    const broken = checks.filter(({ faults }) => faults > 0)
    expect(ok).toBe(broken.length === 0)
    return broken.map(check => check.name)
  } finally {
    await pool.end()
  }
}

test('[B-03] the books of this suite are in order before anybody touches them', async () => {
  expect(await brokenIn(await copy())).toEqual([])
})

describe('somebody with a login of the database', () => {
  test.each(changes)('[B-01, B-03] %s: %s', async (role, _, statements, outcome) => {
    const name = await copy()
    const code = await make(role, name, statements)
    if ('refused' in outcome) {
      expect(code).toBe(outcome.refused)
      return
    }
    expect(code).toBe(null)
    expect(await brokenIn(name)).toContain(outcome.found)
  })
})
