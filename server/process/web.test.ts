import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { serve } from './serve.ts'
import { webPart } from './web.ts'

let database: TestDatabase
const folder = mkdtempSync(join(tmpdir(), 'probity-web-'))

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const noPages = async () => ({ clientFolder: folder, handle: async () => new Response() })

test('an unused connection of a browser does not delay the stop', async () => {
  const said: string[] = []
  const log = pino({}, { write: (line: string) => void said.push(line) })
  const config = {
    ...loadConfig({ DATA_DIR: folder }),
    port: 0,
    database: { appUrl: database.appUrl, poolerUrl: null, readUrl: null },
  }
  const running = await serve({ config, log, prepares: false, parts: [webPart(noPages)], say: () => {} })
  const port = Number(/Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said.join(''))?.[1])
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  // The server lets the silent connection in no later than this one.
  expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200)
  const closed = once(silent, 'close')
  await running.stop()
  await closed
})
