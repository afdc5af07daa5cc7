import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedUrl, startEmbedded } from '#server/embedded/embedded.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { isAlive, watch } from '#test/support/processes.ts'
import { pepCsv, sdnXml } from '#test/support/sanctions.ts'

const ROOT = join(import.meta.dirname, '..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-check-'))
  // Root's PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command as an operator does, in demo mode on the embedded database of a folder. */
async function run(dataDir: string, tool: string, ...args: string[]) {
  const script = [join(ROOT, 'tools/run.mjs'), '--as-is', `tools/${tool}.ts`, ...args]
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, BITCOIN_ESPLORA_URL: 'http://127.0.0.1:9' }
  const running = watch(process.execPath, script, { cwd: ROOT, env })
  return { code: await running.ended(), output: running.output() }
}

const postmasterOf = (dataDir: string) => {
  const file = join(dataDir, 'postgres/data/postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

test.each([
  ['ledger-check', []],
  ['chain-resume', ['bitcoin', '1']],
  ['sanctions-import', ['ofac_sdn', 'SDN.XML']],
  ['admin-create', ['--name', 'Ada Admin', '--email', 'ada@example.com']],
])('%s where there is no installation says where it looked and makes nothing', async (tool, args) => {
  const dataDir = join(folder, 'none')
  const { code, output } = await run(dataDir, tool, ...args)
  expect(output).toBe(
    `There is no database: DATABASE_URL is not set, and ${dataDir}/postgres does not exist. Give this command the product's settings, or start the product first.\n`,
  )
  expect(code).toBe(78)
  expect(existsSync(dataDir)).toBe(false)
})

describe('a command on an embedded database', () => {
  let dataDir: string

  beforeAll(async () => {
    dataDir = join(folder, 'data')
    const server = await startEmbedded(dataDir)
    await migrate({ ...server, ownerUrl: embeddedUrl(dataDir, 'owner') })
    await server.stop()
  })

  test('takes a sanctions list from a file, and says what has changed', async () => {
    const file = join(folder, 'SDN.XML')
    const wallets: [string, string][] = [['XBT', '149w62rY42aZBox8fGcmqNsXUzSStKeq8C']]
    writeFileSync(file, sdnXml([{ uid: 25308, last: 'KHORASHADIZADEH', wallets }]))
    const { code, output } = await run(dataDir, 'sanctions-import', 'ofac_sdn', file)
    expect(output).toBe(
      'Published on 2026-11-20; entries: 1, their wallets: 1. Entries added: 1, removed: 0, changed: 0. Wallets added: 1, removed: 0.\n',
    )
    expect(code).toBe(0)
    const missing = await run(dataDir, 'sanctions-import', 'ofac_sdn', join(folder, 'none.xml'))
    expect(missing.output).toContain('It cannot be read: ENOENT')
    expect(missing.output).toContain('Nothing has changed.')
    expect(missing.code).toBe(1)
  })

  test('exchanges and retires the list of politically exposed persons', async () => {
    const file = join(folder, 'targets.simple.csv')
    const people = Array.from({ length: 3 }, (_, n) => ({ id: `Q${n}`, name: `Person ${n}` }))
    const take = (...args: string[]) => run(dataDir, 'sanctions-import', ...args)
    writeFileSync(file, pepCsv(people))
    expect((await take('pep', file)).code).toBe(0)
    writeFileSync(file, pepCsv(people.slice(0, 1)))
    expect((await take('pep', file)).output).toContain('less than half')
    expect((await take('pep', file, '--exchange')).output).toContain('Entries added: 0, removed: 2')
    expect(await take('pep', '--retire')).toEqual({
      code: 0,
      output: 'The list of politically exposed persons is no longer in use. Entries removed: 1.\n',
    })
    for (const wrong of [
      ['ofac_sdn', '--retire'],
      ['ofac_sdn', file, '--exchange'],
    ]) {
      expect((await take(...wrong)).output).toContain('npm run sanctions:import -- pep --retire')
    }
  })

  test('that is stopped stops it again, and leaves nothing else behind', async () => {
    const before = readdirSync(dataDir)
    const { code, output } = await run(dataDir, 'ledger-check')
    expect(output).toContain('The books are in order')
    expect(code).toBe(0)
    expect(postmasterOf(dataDir)).toBeUndefined()
    expect(readdirSync(dataDir)).toEqual(before)
  })

  test('[B-03] with a seal says whether the database still contains it', async () => {
    expect(await run(dataDir, 'ledger-seal')).toEqual({ code: 0, output: 'Nothing was left to seal\n' })
    const server = await startEmbedded(dataDir)
    const client = new Client({ connectionString: embeddedUrl(dataDir, 'owner') })
    await client.connect()
    try {
      await client.query("INSERT INTO app.audit_log (action) VALUES ('login')")
      expect(await run(dataDir, 'ledger-seal')).toEqual({ code: 0, output: 'Sealed (1)\n' })
      const { rows } = await client.query("SELECT encode(hash, 'hex') AS hash FROM ledger.seals")
      const right = await run(dataDir, 'ledger-check', '--seal', `1:${rows[0].hash}`)
      expect(right.output).toContain('Seal 1 is the one that you named')
      expect(right.code).toBe(0)
      const wrong = await run(dataDir, 'ledger-check', '--seal', `1:${'0'.repeat(64)}`)
      expect(wrong.output).toContain('Seal 1 is NOT the one that you named')
      expect(wrong.code).toBe(1)
      const unreadable = await run(dataDir, 'ledger-check', '--seal', '1')
      expect(unreadable.output).toContain('A seal is its number and its hash')
    } finally {
      await client.end()
      await server.stop()
    }
  })

  test('[B-03] names a row that changed after it was sealed', async () => {
    const server = await startEmbedded(dataDir)
    const url = new URL(embeddedUrl(dataDir, 'superuser'))
    url.pathname = '/probity'
    const client = new Client({ connectionString: url.href })
    await client.connect()
    try {
      await client.query("SET session_replication_role = 'replica'")
      await client.query("UPDATE app.audit_log SET action = 'logout'")
      const { code, output } = await run(dataDir, 'ledger-check')
      expect(code).toBe(1)
      expect(output).toContain(
        '"check":"audit_as_sealed","faults":1,"examples":[{"seal":1,"fault":"changed","audit_row":1}]',
      )
      await client.query("UPDATE app.audit_log SET action = 'login'")
    } finally {
      await client.end()
      await server.stop()
    }
  })

  test('that runs leaves it running', async () => {
    const server = await startEmbedded(dataDir)
    const postmaster = postmasterOf(dataDir)!
    const { code } = await run(dataDir, 'ledger-check')
    expect(code).toBe(0)
    expect(postmasterOf(dataDir)).toBe(postmaster)
    expect(isAlive(postmaster)).toBe(true)
    await server.stop()
  })
})
