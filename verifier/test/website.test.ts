import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newKey, publish, recentDays, write } from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'

/** The command reads a website, which may be busy, interrupted or hostile. */

const files = publish(write(recentDays(20)), newKey())
const folder = mkdtempSync(join(tmpdir(), 'verifier-website-'))

/** What the website answers in place of a file; undefined: the file. */
type Answer = { status: number; content?: Buffer; location?: string }
let answers: (path: string) => Answer | undefined
let asked: string[]
let website: Server
let address: string
beforeEach(async () => {
  answers = () => undefined
  asked = []
  website = createServer((request, response) => {
    const path = request.url!.replace('/proof/', '')
    asked.push(path)
    const content = files.get(path)
    const answer = answers(path) ?? { status: content ? 200 : 404, content }
    response
      .writeHead(answer.status, answer.location ? { location: answer.location } : {})
      .end(answer.content)
  })
  address = `${await listening(website)}/proof`
})
afterEach(() => {
  close(website)
  rmSync(folder, { recursive: true, force: true })
})

async function listening(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}

function verify(): Promise<{ code: number; output: string }> {
  const command = [join(import.meta.dirname, '../verify.mjs'), address, '--state', folder]
  return new Promise(resolve => {
    const child = execFile(process.execPath, command, (_error, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    )
  })
}

const countOf = (path: string) => asked.filter(other => other === path).length
const keepsDownloads = () => existsSync(join(folder, 'downloads'))
const missing = (path: string) => (other: string) => (other === path ? { status: 404 } : undefined)

test('asks a busy website again, and reads everything anew at the next visit', async () => {
  answers = path => (path === 'tile/0/000' && countOf(path) === 1 ? { status: 503 } : undefined)
  const { code, output } = await verify()
  expect(code, output).toBe(0)
  expect(output).toContain('There is no site here whose figures could be compared')
  expect(countOf('tile/0/000')).toBe(2)
  expect(keepsDownloads()).toBe(false)
  answers = () => undefined
  asked = []
  expect((await verify()).output).toContain('continues the checkpoint')
  for (const path of files.keys()) expect(countOf(path), path).toBeGreaterThan(0)
})

test('resumes a run that could not finish', async () => {
  answers = missing('tile/entries/001')
  expect((await verify()).code).toBe(2)
  expect(keepsDownloads()).toBe(true)
  answers = () => undefined
  asked = []
  expect((await verify()).code).toBe(0)
  expect([countOf('tile/entries/000'), countOf('tile/entries/001')]).toEqual([0, 1])
  expect(keepsDownloads()).toBe(false)
})

test('reads everything again before it accuses by a file kept from an unfinished run', async () => {
  answers = path =>
    path === 'tile/0/000'
      ? { status: 200, content: Buffer.alloc(8192, 1) }
      : missing('tile/entries/001')(path)
  expect((await verify()).code).toBe(2)
  answers = () => undefined
  asked = []
  const { code, output } = await verify()
  expect(code, output).toBe(0)
  expect(countOf('tile/entries/000')).toBe(1)
})

test('finds what was removed or changed after it was verified', async () => {
  expectListed('a file that was removed after it was verified')
  expectListed('a file that was changed after it was verified')
  expect((await verify()).code).toBe(0)
  answers = path =>
    path === 'epochs/7/assets.csv' ? { status: 200, content: Buffer.from('title\n') } : undefined
  const changed = await verify()
  expect(changed.code).toBe(1)
  expect(changed.output).toContain('epoch 7: assets.csv has been changed')
  answers = missing('epochs/3/leaves.bin')
  const removed = await verify()
  expect(removed.code).toBe(2)
  expect(removed.output).toContain('epochs/3/leaves.bin is missing')
})

test('uses nothing that an unfinished run kept more than a day ago', async () => {
  answers = missing('tile/entries/001')
  await verify()
  const kept = join(folder, 'downloads/tile/entries/000')
  const before = (Date.now() - 25 * 3_600_000) / 1000
  utimesSync(kept, before, before)
  asked = []
  await verify()
  expect([countOf('tile/entries/000'), countOf('tile/0/000')]).toEqual([1, 0])
})

test('follows no redirect, which could lead into the own network', async () => {
  expectListed("a redirect into the visitor's own network")
  const inside: (string | undefined)[] = []
  const router = createServer((request, response) => {
    inside.push(request.url)
    response.end()
  })
  const location = `${await listening(router)}/reboot`
  try {
    answers = path => (path === 'policy' ? { status: 302, location } : undefined)
    const { code, output } = await verify()
    expect(code).toBe(2)
    expect(output).toContain(`it redirects to ${location}, and this verifier follows no redirects`)
    expect(inside).toEqual([])
  } finally {
    close(router)
  }
})

test('reads of a tree no more bytes than the log states', async () => {
  expectListed('a tree with more bytes than the log states')
  answers = path =>
    path === 'epochs/3/leaves.bin' ? { status: 200, content: Buffer.alloc(1281) } : undefined
  const { code, output } = await verify()
  expect(code).toBe(1)
  expect(output).toContain('epoch 3: leaves.bin has more than the 1280 bytes that the log states')
})

test('reads of a document no more bytes than a document has', async () => {
  answers = path =>
    path === 'epochs/3/evidence.txt' ? { status: 200, content: Buffer.alloc(16_000_001) } : undefined
  const { code, output } = await verify()
  expect(code).toBe(2)
  expect(output).toContain('epochs/3/evidence.txt has more than 16000000 bytes')
})
