import { execFile } from 'node:child_process'
import { sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keyStatement } from './key-statement.ts'
import { type Files, firmsDays, newKey, publish, receiptsKey, savedProof, write } from './made-up-firm.ts'

/** The command as a stranger runs it. */

const key = newKey()
const books = write(firmsDays(20))
const files = publish(books, key)
const folder = mkdtempSync(join(tmpdir(), 'verifier-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

function verify(...args: string[]): Promise<{ code: number; output: string }> {
  const command = [join(import.meta.dirname, '../verify.mjs'), ...args]
  return new Promise(resolve => {
    const child = execFile(process.execPath, command, (_error, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    )
  })
}

function folderOf(name: string, content: Files): string {
  for (const [path, bytes] of content) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true })
    writeFileSync(join(folder, name, path), bytes)
  }
  return join(folder, name)
}

const state = (name: string) => ['--state', join(folder, `state of ${name}`)]

test('a folder that holds: exit code 0, in words or as JSON', async () => {
  const honest = folderOf('honest', files)
  const { code, output } = await verify(honest, ...state('honest'))
  expect(code).toBe(0)
  expect(output).toMatch(/^All holds: the books that firm.example\/proof publishes agree with themselves\./)
  expect(output).toContain('What this does not prove')
  const json = await verify(honest, '--json', ...state('honest'))
  expect(JSON.parse(json.output)).toMatchObject({
    holds: true,
    exitCode: 0,
    origin: 'firm.example/proof',
    epochs: { count: 20, first: '2026-10-01', last: '2026-10-20', missingDays: [] },
  })
})

test('a proof that was saved before the key was replaced is checked with the keys', async () => {
  const next = newKey()
  const saved = join(folder, 'saved.json')
  writeFileSync(saved, JSON.stringify(savedProof(books, 0, files, key)))
  const statements = join(folder, 'keys')
  writeFileSync(statements, keyStatement({ from: key, to: next }))
  const check = (...args: string[]) =>
    verify('--proof-file', saved, '--vkey', next.vkey, ...args, ...state('saved'))
  expect(await check()).toMatchObject({ code: 1 })
  expect(await check('--keys', statements)).toMatchObject({ code: 0 })
  // Who trusts the new key knows that the firm says which it had before; a thief may have used a stolen one.
  for (const [reason, code] of [
    ['lost', 0],
    ['stolen', 1],
  ] as const) {
    writeFileSync(statements, keyStatement({ from: key, to: next, reason, signers: [next] }))
    expect(await check('--keys', statements)).toMatchObject({ code })
  }
})

test('something wrong: exit code 1', async () => {
  const assets = Buffer.from('title,amount USD,as of,sha256,source\n')
  const changed = folderOf('changed', new Map(files).set('epochs/7/assets.csv', assets))
  const { code, output } = await verify(changed, ...state('changed'))
  expect(code).toBe(1)
  expect(output).toMatch(/^NOT ALL HOLDS/)
  expect(output).toContain('epoch 7: assets.csv has been changed')
})

test('nothing that the firm publishes can command the terminal', async () => {
  const note = Buffer.concat([files.get('checkpoint')!, Buffer.from('— evil\u009b2J\u202e AAAAAAAA\n')])
  const evil = folderOf('evil', new Map(files).set('checkpoint', note))
  const { output } = await verify(evil, ...state('evil'))
  expect(output).toContain('cosignatures of evil\ufffd2J\ufffd')
})

test('nothing to read: exit code 2', async () => {
  const missing = await verify(join(folder, 'nowhere'))
  expect(missing).toEqual({
    code: 2,
    output: `NOT VERIFIED: there is no folder ${join(folder, 'nowhere')}.\n`,
  })
  expect((await verify()).code).toBe(2)
  expect((await verify('a', '--unknown')).code).toBe(2)
})

test('a key whose id is not its own is refused', async () => {
  const [name, id, ...rest] = key.vkey.split('+')
  const vkey = [name, id!.startsWith('0') ? `1${id!.slice(1)}` : `0${id!.slice(1)}`, ...rest].join('+')
  const { code, output } = await verify(folderOf('key', files), '--vkey', vkey, ...state('key'))
  expect(code).toBe(1)
  expect(output).toContain('the key id of firm.example/proof is')
})

test('a saved proof is checked without a network', async () => {
  const proof = savedProof(books, 3, files, key)
  const file = join(folder, 'saved.json')
  writeFileSync(file, JSON.stringify(proof))
  const { code, output } = await verify('--proof-file', file, '--vkey', key.vkey)
  expect(code).toBe(0)
  expect(output).toMatch(/^All holds: the balance of \$[\d,.]+ on 2026-10-20 is part of the published total/)
  expect((await verify('--proof-file', file, '--vkey', newKey().vkey)).code).toBe(1)
  expect((await verify('--proof-file', join(folder, 'none.json'))).code).toBe(2)
})

test('beside the whole log, a saved proof is checked, too', async () => {
  const honest = folderOf('beside', files)
  const proof = savedProof(books, 3, files, key)
  const file = join(folder, 'beside.json')
  const check = () => verify(honest, '--proof-file', file, ...state('beside'))
  writeFileSync(file, JSON.stringify(proof))
  const held = await check()
  expect(held.code).toBe(0)
  expect(held.output).toMatch(/^Your saved proof\nAll holds: the balance of /)
  expect(held.output).not.toContain('That your own balance is in it')
  writeFileSync(file, JSON.stringify({ ...proof, email: 'somebody@example.com' }))
  const changed = await check()
  expect(changed.code).toBe(1)
  expect(changed.output).toMatch(/^Your saved proof\nNOT ALL HOLDS: /)
  writeFileSync(file, JSON.stringify(proof).slice(0, 500))
  const cut = await check()
  expect(cut.code).toBe(2)
  expect(cut.output).toMatch(/^NOT VERIFIED: .* It may be cut off\.$/m)
})

test('a receipt and what an email printed are checked against a log', async () => {
  const honest = folderOf('promises', files)
  const { legs, date, event } = books.investors[3]!.leaves[0]!
  const { kind, version, amount, balance } = legs[0]!
  const by = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
  const text = `probity-receipt/v1\nlog: firm.example/proof\nowner: ${books.investors[3]!.owner}\nkind: ${kind}\nasset: USD
version: ${version}\namount: ${amount}\nbalance: ${balance}\nevent: ${event}\ndate: ${date}\nsealed-by: ${by}\n`
  const { keyId, origin, privateKey } = receiptsKey
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString('base64')
  const [receipt, proof] = ['receipt.eml', 'receipts-proof.json'].map(name => join(folder, name)) as [
    string,
    string,
  ]
  writeFileSync(receipt, `Dear Ann,\r\n\r\n${text.replaceAll('\n', '\r\n')}\r\n— ${origin} ${signature}\r\n`)
  writeFileSync(proof, JSON.stringify(savedProof(books, 3, files, key)))
  const [, size, root] = files.get('epochs/2/checkpoint')!.toString().split('\n')
  const asked = [honest, ...state('promises'), '--receipt', receipt, '--seen', `${size}:${root}`]
  const stranger = await verify(...asked)
  expect(stranger.output).toContain('The log continues the size and root that you were shown before.')
  expect(stranger.output).toContain("only its owner's saved proof shows")
  const owner = await verify(...asked, '--proof-file', proof)
  expect(owner.output).toContain('its line is in the log')
  const offline = await verify('--proof-file', proof, '--receipt', receipt, '--vkey', key.vkey)
  expect(offline.output).toContain('Receipts whose line is in its journal: 1.')
  expect([stranger.code, owner.code, offline.code]).toEqual([0, 0, 0])
  const other = await verify(honest, ...state('promises'), '--seen', `${Number(size) + 1}:${root}`)
  expect(other.output).toContain('you were shown a different history')
  expect(other.code).toBe(1)
})

test('a receipt alone cannot be checked, and the command says against what it can', async () => {
  const file = join(folder, 'alone.txt')
  writeFileSync(file, 'probity-receipt/v1')
  const { code, output } = await verify('--receipt', file)
  expect(code).toBe(2)
  expect(output).toMatch(/^NOT VERIFIED: a receipt is checked against a log: .* or --proof-file /)
})
