import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { addAuditorsCosignature } from './auditor.ts'
import { writeLog } from './epochs.ts'
import { publishTo } from './folder.ts'

/** An auditor cosigns what they have recomputed, and nothing else; the firm publishes it. */

let world: World
let folder: string
let opening: string
beforeEach(async () => {
  world = await openWorld()
  folder = mkdtempSync(join(tmpdir(), 'probity-auditor-'))
  opening = join(folder, 'opening')
  await world.fund(await world.person('Ann'), 100_00n)
  await sealBooks(world.services)
  await writeLog(world.services, { closeNow: true })
  await publishTo(world.services.pool, join(folder, 'proof'))
  const auditor = await world.person('Olga', 'auditor')
  const headers = { authorization: `Bearer ${world.tokenOf(auditor)}` }
  writeFileSync(opening, (await world.app.inject({ url: '/api/proof/opening', headers })).body)
})

function audit(...more: string[]): Promise<{ code: number; output: string }> {
  const verifier = join(import.meta.dirname, '../../verifier/verify.mjs')
  const key = ['--cosign', join(folder, 'key'), '--name', 'auditor.example/books']
  const args = [verifier, join(folder, 'proof'), '--state', join(folder, 'state'), '--opening', opening]
  return new Promise(resolve => {
    const child = execFile(process.execPath, [...args, ...key, ...more], (_error, output) =>
      resolve({ code: child.exitCode!, output }),
    )
  })
}

async function cosigned() {
  const { code, output } = await audit()
  expect(code, output).toBe(0)
  const vkey = /^Your key: (.*)$/m.exec(output)![1]!
  return { vkey, note: output.split('Your cosignature:\n\n')[1]! }
}

const add = (auditor: string | null, note: string) =>
  addAuditorsCosignature({ ...world.services, config: { auditor } }, note)
const cosigners = async () => (await world.call(proofOverview, null)).data.log?.cosigners

test('what an auditor has recomputed is published with their name', async () => {
  const { vkey, note } = await cosigned()
  expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
  expect(await add(vkey, note)).toEqual({ name: 'auditor.example/books', epoch: 1n })
  expect(await cosigners()).toMatchObject([{ name: 'auditor.example/books', kind: 'auditor', epoch: 1 }])
})

test('nothing is cosigned, and no key made, if a line does not fit its opening', async () => {
  writeFileSync(opening, readFileSync(opening, 'utf8').replace(/^(leg .*) 10000$/m, '$1 10001'))
  const { code, output } = await audit()
  expect(code).toBe(1)
  expect(output).toContain('nothing is cosigned')
  expect(output).not.toContain('Your cosignature')
  expect(existsSync(join(folder, 'key'))).toBe(false)
})

test('lines of erased secrets are cosigned only if their number is accepted', async () => {
  writeFileSync(opening, readFileSync(opening, 'utf8').replace(/^(key \S+) .*$/m, '$1 erased'))
  const refused = await audit()
  expect([refused.code, refused.output.includes('Your cosignature')]).toEqual([1, false])
  expect(refused.output).toContain('1 lines are of erased secrets')
  expect((await audit('--erased', '1')).output).toContain('Your cosignature')
})

test("only the configured auditor's line on a published checkpoint is added", async () => {
  const { vkey, note } = await cosigned()
  const other = vkey.replace('auditor.example', 'other.example')
  await expect(add(null, note)).rejects.toThrow('no auditor is configured')
  await expect(add(other, note)).rejects.toThrow('the key id of')
  await expect(add(vkey, note.replace('\n2\n', '\n3\n'))).rejects.toThrow('is forged')
  const elsewhere = await openWorld()
  world = elsewhere
  await expect(add(vkey, note)).rejects.toThrow('is none that is published here')
})
