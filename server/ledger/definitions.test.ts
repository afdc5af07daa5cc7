import { beforeAll, expect, test } from 'vitest'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { clientConfig } from '#server/platform/database/pool.ts'
import { atEnd } from '#test/support/clean-up.ts'
import {
  administer,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from '#test/support/temporary-postgres.ts'
import { checkDefinitions } from './check-definitions.ts'

/** A cluster of its own, as roles belong to all databases of one. */
let postgres: TemporaryPostgres

beforeAll(async () => {
  postgres = await startTemporaryPostgres('roles')
  atEnd(postgres.stop)
  const { ownerUrl, appUrl } = postgres
  await migrate({ ownerUrl, appUrl })
  await change(
    "CREATE ROLE web LOGIN PASSWORD 'web' IN ROLE probity_app",
    'CREATE ROLE clerk',
    'CREATE ROLE writer',
  )
})

const change = (...statements: string[]) => {
  const url = new URL(postgres.superuserUrl)
  url.pathname = new URL(postgres.ownerUrl).pathname
  return administer(url.href, ...statements)
}

/** What the check names from a session of web's login, which acts as probity_app. */
async function named(): Promise<string[]> {
  const url = new URL(postgres.appUrl)
  url.username = url.password = 'web'
  const client = new LimitedClient(clientConfig({ url: url.href, as: 'app', name: 'probity test' }))
  await client.connect()
  try {
    await client.query('BEGIN')
    const { examples } = await checkDefinitions(client)
    return examples.map(example => (example as { object: string }).object)
  } finally {
    await client.end()
  }
}

test('[B-01, B-03] a login of another name changes no rule, nor does a role without power', async () => {
  await change('GRANT clerk, pg_monitor TO web')
  expect(await named()).toEqual([])
})

test.each([
  [
    'the login gets a right of its own',
    'UPDATE ON ledger.accounts',
    'web',
    'privileges of web on ledger.accounts',
  ],
  [
    'the application joins a role with a right',
    'INSERT ON ledger.entries',
    'writer',
    'privileges of writer on ledger.entries',
  ],
])('[B-01, B-03] the check names it if %s', async (_, right, role, expected) => {
  await change('GRANT writer TO probity_app', `GRANT ${right} TO ${role}`)
  expect(await named()).toEqual([expected])
  await change('REVOKE writer FROM probity_app', `REVOKE ${right} FROM ${role}`)
})

test.each(['probity_owner', 'pg_write_all_data'])(
  '[B-01, B-03] the check names it if the login can become %s through another role',
  async role => {
    await change('GRANT clerk TO web', `GRANT ${role} TO clerk`)
    expect(await named()).toEqual([`acting as ${role}`])
    await change(`REVOKE ${role} FROM clerk`)
  },
)
