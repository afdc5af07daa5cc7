import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbedded } from '#server/platform/database/embedded.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { isAlive, watch } from '#test/support/processes.ts'

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

describe('ledger:check on an embedded database', () => {
  let dataDir: string

  beforeAll(async () => {
    dataDir = join(folder, 'data')
    const server = await startEmbedded(dataDir)
    await migrate(server)
    await server.stop()
  })

  test('that is stopped stops it again, and leaves nothing else behind', async () => {
    const before = readdirSync(dataDir)
    const { code, output } = await run(dataDir, 'ledger-check')
    expect(output).toContain('The books are in order')
    expect(code).toBe(0)
    expect(postmasterOf(dataDir)).toBeUndefined()
    expect(readdirSync(dataDir)).toEqual(before)
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
