import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { watch } from '#test/support/processes.ts'
import { openWorld } from '#test/support/world.ts'
import { freePort } from '#tools/free-port.ts'
import { buildProduct, isBuildStale, MAIN } from '#tools/product-build.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { openCheckpoint, parseVerifierKey } from '#verifier/note.mjs'

const ROOT = join(import.meta.dirname, '../..')

test('in live mode a web process serves the public proof, without a setting', async () => {
  if (isBuildStale()) await buildProduct(console.log)
  const folder = mkdtempSync(join(tmpdir(), 'probity-live-proof-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const world = await openWorld({
    mode: 'live',
    publicUrl: origin,
    tokenSecret: liveSettings.TOKEN_SECRET,
  })
  const own = { DATABASE_URL: world.database.appUrl, DATA_DIR: folder, PORT: `${port}`, PUBLIC_URL: origin }
  const env = { PATH: process.env.PATH, ...liveSettings, ...own }
  const web = watch(process.execPath, [MAIN, 'web'], { cwd: ROOT, env })
  atEnd(async () => {
    web.child.kill('SIGTERM')
    await web.ended()
  })
  await web.said(/Listening on/)
  const get = async (path: string) => {
    const answer = await fetch(`${origin}/proof/${path}`)
    const header = (name: string) => answer.headers.get(name)
    return { status: answer.status, type: header('content-type'), cache: header('cache-control'), answer }
  }
  expect((await get('checkpoint')).status).toBe(404)

  await world.fund(await world.person('Ines Vestor'), 100_000n)
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)

  const text = { status: 200, type: 'text/plain; charset=utf-8', cache: 'no-cache' }
  const [checkpoint, vkey] = [await get('checkpoint'), await get('vkey')]
  expect([checkpoint, vkey]).toMatchObject([text, text])
  const key = parseVerifierKey((await vkey.answer.text()).trim(), nodeHashes)
  expect(key.name).toBe(`127.0.0.1:${port}/proof`)
  expect(openCheckpoint(await checkpoint.answer.text(), key, nodeHashes).size).toBe(2)
  expect(await get('tile/0/000.p/2')).toMatchObject({
    status: 200,
    type: 'application/octet-stream',
    cache: 'public, max-age=31536000, immutable',
  })
  const args = [join(ROOT, 'verifier/verify.mjs'), `${origin}/proof`, '--state', join(folder, 'state')]
  expect((await promisify(execFile)(process.execPath, args)).stdout).toMatch(/^All holds/)
}, 120_000)
