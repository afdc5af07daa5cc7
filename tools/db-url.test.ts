import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbedded } from '#server/embedded/embedded.ts'

const ROOT = join(import.meta.dirname, '..')
let folder: string
let dataDir: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-url-'))
  // Root's PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  dataDir = join(folder, 'data')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function dbUrl(login: string | undefined, environment: NodeJS.ProcessEnv = {}) {
  const script = [join(ROOT, 'tools/run.mjs'), '--as-is', 'tools/db-url.ts', ...(login ? [login] : [])]
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: ROOT, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('[V-10] db:url prints the address of each login of the running embedded database', async () => {
  const server = await startEmbedded(dataDir)
  try {
    for (const [login, role] of [
      ['app', 'probity_app'],
      ['owner', 'probity_owner'],
      ['superuser', 'postgres'],
    ] as const) {
      const { status, stdout, stderr } = dbUrl(login)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toMatch(/^postgres:\S+\n$/)
      const client = new Client({ connectionString: stdout.trim() })
      await client.connect()
      expect((await client.query('SELECT session_user AS role')).rows).toEqual([{ role }])
      await client.end()
    }
  } finally {
    await server.stop()
  }
  expect(dbUrl('app')).toEqual({
    status: 1,
    stdout: '',
    stderr: `No embedded PostgreSQL runs in ${dataDir}. Start Probity first.\n`,
  })
})

test('[V-10] db:url without a known login, or with DATABASE_URL set, says so and fails', () => {
  const usage = { status: 1, stdout: '', stderr: 'npm run -s db:url -- app|owner|superuser\n' }
  for (const login of [undefined, 'web', 'constructor']) expect(dbUrl(login)).toEqual(usage)
  expect(dbUrl('app', { DATABASE_URL: 'postgres://a:b@db.example.com/c' })).toEqual({
    status: 78,
    stdout: '',
    stderr: 'db:url is for the embedded database, and DATABASE_URL is set.\n',
  })
})
