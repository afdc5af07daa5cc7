import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { copyToBucket } from '#server/proof/bucket.ts'
import { stampCheckpoints } from '#server/proof/stamps.ts'
import { askWitnesses } from '#server/proof/witnesses.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { Cosigner } from '#test/support/cosigner.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { watch } from '#test/support/processes.ts'
import { openWorld, type World } from '#test/support/world.ts'

/** `npm run proof`, as an operator runs it on a live installation. */

const ROOT = join(import.meta.dirname, '..')
const PUBLIC_URL = 'https://invest.example.com'
let world: World
let folder: string
beforeEach(async () => {
  world = await openWorld()
  const made = mkdtempSync(join(tmpdir(), 'probity-proof-command-'))
  atEnd(() => rmSync(made, { recursive: true }))
  folder = made
})

const proof = (...args: string[]) => proofWith({}, ...args)

async function proofWith(changes: NodeJS.ProcessEnv, ...args: string[]) {
  const { appUrl, ownerUrl } = world.database
  const script = [join(ROOT, 'tools/run.mjs'), '--as-is', 'tools/proof.ts', ...args]
  const own = { DATABASE_URL: appUrl, DATABASE_OWNER_URL: ownerUrl, DATA_DIR: folder }
  const env = { PATH: process.env.PATH, ...liveSettings, PUBLIC_URL, ...own, ...changes }
  const running = watch(process.execPath, script, { cwd: ROOT, env })
  return { code: await running.ended(), output: running.output() }
}

test('a key is listed and replaced, and a stranger finds nothing wrong', async () => {
  expect(await proof('--rotate', 'log')).toEqual({
    code: 1,
    output: 'Not replaced: no epoch has ended, so no key is published yet\n',
  })
  await world.fund(await world.person('Ines Vestor'), 100_000n)
  expect((await proof()).output).toContain('Epochs ended: 1')
  const first = await proof('--keys')
  expect(first.output).toMatch(
    /^log since epoch 1, [\d-]{10} \(first\): invest\.example\.com\/proof\+\S+\nreceipts since epoch 1, [\d-]{10} \(first\): \S+\n$/,
  )
  expect((await proof('--rotate', 'log', '--because', 'boredom')).code).toBe(78)
  expect(await proof('--keys')).toEqual(first)

  const { code, output } = await proof('--rotate', 'log')
  expect(code).toBe(0)
  const [, vkey] = /^The new key, from the epoch on that ends now: (\S+)$/m.exec(output)!
  expect(output).toContain('Epochs ended: 1')
  const lines = (await proof('--keys')).output.split('\n')
  expect(lines[1]).toMatch(/^log since epoch 2, [\d-]{10} \(planned\): /)
  expect(lines[1]!.endsWith(vkey!)).toBe(true)

  const copy = join(folder, 'copy')
  expect((await proof('--to', copy)).code).toBe(0)
  const args = [join(ROOT, 'verifier/verify.mjs'), copy, '--state', join(folder, 'state')]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toMatch(/^All holds/)
})

test('an epoch that it ends is dated, cosigned and copied at once', async () => {
  const due = async () => {
    const { rows } = await world.owner(
      'SELECT task_identifier AS name FROM graphile_worker.jobs WHERE run_at <= now()',
    )
    return rows.map(({ name }) => name)
  }
  expect((await proof()).output).toContain('The books are empty')
  const tasks = [stampCheckpoints, askWitnesses, copyToBucket].map(({ name }) => name)
  for (const name of tasks) expect(await due()).not.toContain(name)
  await world.fund(await world.person('Ines Vestor'), 100_000n)
  expect((await proof()).output).toContain('Epochs ended: 1')
  expect(await due()).toEqual(expect.arrayContaining(tasks))
})

test('a command with another address than the product changes no published name', async () => {
  const policy = join(folder, 'policy')
  writeFileSync(policy, `witness w ${new Cosigner('w.example').vkey} http://127.0.0.1:9\nquorum w\n`)
  for (const url of [PUBLIC_URL, 'http://127.0.0.1:3000']) {
    await world.fund(await world.person('Ines Vestor'), 100_000n)
    const { output } = await proofWith({ PUBLIC_URL: url, PROOF_WITNESS_POLICY: policy })
    expect(output).toContain('Epochs ended: 1')
  }
  const copy = join(folder, 'copy')
  expect((await proof('--to', copy)).code).toBe(0)
  const published = (name: string) => readFileSync(join(copy, name), 'utf8')
  expect(published('checkpoint')).toMatch(/^invest\.example\.com\/proof\n/)
  expect(published('receipts-vkey')).toMatch(/^invest\.example\.com\/proof\/receipts\+/)
  expect(published('policy')).toBe(`log ${published('vkey')}${readFileSync(policy, 'utf8')}`)
})
