import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { eraseProofSecret, freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { addAuditorsCosignature } from './auditor.ts'
import { writeLog } from './epochs.ts'
import { publishTo } from './folder.ts'

/** An auditor cosigns what they have recomputed, and nothing else; the firm publishes it. */

let world: World
let folder: string
let opening: string
let ann: Person
let auditor: Person
beforeEach(async () => {
  world = await openWorld()
  const made = mkdtempSync(join(tmpdir(), 'probity-auditor-'))
  atEnd(() => rmSync(made, { recursive: true, force: true }))
  folder = made
  opening = join(folder, 'opening')
  ann = await world.person('Ann')
  auditor = await world.person('Olga', 'auditor')
  await world.fund(ann, 100_00n)
  await endEpoch()
  await open()
})

async function endEpoch(): Promise<void> {
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
}

/** The firm publishes its newest epoch, and gives the auditor the opening. */
async function open(): Promise<void> {
  await publishTo(world.services.pool, join(folder, 'proof'))
  const headers = { authorization: `Bearer ${world.tokenOf(auditor)}` }
  writeFileSync(opening, (await world.app.inject({ url: '/api/proof/opening', headers })).body)
}

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
  return { vkey, output, note: output.split('Your cosignature:\n\n')[1]! }
}

function add(auditor: string | null, note: string) {
  Object.assign(world.services.config, { auditor })
  return addAuditorsCosignature(world.services, note)
}
const cosigners = async () => (await world.call(proofOverview, null)).data.log?.cosigners

test('what an auditor has recomputed is published with their name', async () => {
  const { vkey, note } = await cosigned()
  expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
  expect(await add(vkey, note)).toEqual({ name: 'auditor.example/books', epoch: 1n })
  expect(await cosigners()).toMatchObject([{ name: 'auditor.example/books', kind: 'auditor', epoch: 1 }])
})

test('all that the verifier printed is taken, also by Windows or in an email', async () => {
  const { vkey, output } = await cosigned()
  for (const printed of [
    output,
    output.replaceAll('\n', '\r\n'),
    `Dear Ann,\n\n${output.replaceAll(/^/gm, '  ')}\n\nYour auditor`,
  ])
    expect(await add(vkey, printed)).toEqual({ name: 'auditor.example/books', epoch: 1n })
  expect(await cosigners()).toMatchObject([{ name: 'auditor.example/books', epoch: 1 }])
})

test('a file without a cosigned checkpoint is named as such, and what to ask for', async () => {
  const { vkey, output, note } = await cosigned()
  for (const other of ['', output.split('Your cosignature:')[0]!, note.split('\n\n')[0]!])
    await expect(add(vkey, other)).rejects.toThrow(
      'this file is not a checkpoint with a cosignature. Ask the auditor for all that the verifier printed with --cosign',
    )
})

test('nothing is cosigned, and no key made, if a line does not fit its opening', async () => {
  writeFileSync(opening, readFileSync(opening, 'utf8').replace(/^(leg .*) 10000$/m, '$1 10001'))
  const { code, output } = await audit()
  expect(code).toBe(1)
  expect(output).toContain('nothing is cosigned')
  expect(output).not.toContain('Your cosignature')
  expect(existsSync(join(folder, 'key'))).toBe(false)
})

test('lines and parts of erased secrets are cosigned only if their number is accepted', async () => {
  writeFileSync(
    opening,
    readFileSync(opening, 'utf8').replace(/^(key \S+|part \S+ \S+ \S+) .*$/gm, '$1 erased'),
  )
  const refused = await audit()
  expect([refused.code, refused.output.includes('Your cosignature')]).toEqual([1, false])
  const [, parts] = /: 1 line and (\d+) parts? are of erased secrets/.exec(refused.output)!
  expect((await audit('--erased', String(1 + Number(parts)))).output).toContain('Your cosignature')
})

test('an auditor can still cosign after an erased investor has money again', async () => {
  await payOut(ann)
  await endEpoch()
  const params = { id: ann.id }
  await world.call(freezeUser, world.admin, { params, body: { reason: 'Asked to leave' } })
  const body = { reason: 'Asked for by the owner', email: ann.email }
  expect((await world.call(eraseProofSecret, world.admin, { params, body })).status).toBe(200)
  await world.call(unfreezeUser, world.admin, { params, body: { reason: 'Came back' } })
  await world.fund(ann, 100_00n)
  await endEpoch()
  await open()
  const [, lines, parts] = /: (\d+) lines and (\d+) parts? are of erased secrets/.exec(
    (await audit()).output,
  )!
  expect(Number(parts)).toBeGreaterThan(0)
  const { code, output } = await audit('--erased', String(Number(lines) + Number(parts)))
  expect(code, output).toBe(0)
  expect(output).toContain('Your cosignature')
})

async function payOut(investor: Person): Promise<void> {
  const wallet = { wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  const { data } = await world.call(newWithdrawal, investor, { body: { amount: 100, ...wallet } })
  const params = { id: data._id }
  await world.call(approveWithdrawal, world.admin, { params })
  await world.call(payWithdrawal, world.secondAdmin, { params, body: { transactionId: 'f00d'.repeat(16) } })
}

test("only the configured auditor's line on a published checkpoint is added", async () => {
  const { vkey, output, note } = await cosigned()
  const other = vkey.replace('auditor.example', 'other.example')
  await expect(add(null, note)).rejects.toThrow('no auditor is configured')
  await expect(add(other, note)).rejects.toThrow('the key id of')
  for (const whole of [note, output])
    await expect(add(vkey, whole.replace('\n2\n', '\n3\n'))).rejects.toThrow(
      'the cosignature of auditor.example/books is forged',
    )
  const elsewhere = await openWorld()
  world = elsewhere
  await expect(add(vkey, note)).rejects.toThrow('is none that is published here')
})
