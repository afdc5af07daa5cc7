import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { ownProof } from '#shared/contract/proof.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { writeLog } from './epochs.ts'
import { receiptFor } from './receipts.ts'

/** The verifier as a stranger gets it, who has a browser, Node and npm, and not our source code. */

describe('the package of the verifier', () => {
  let world: World
  let folder: string
  let proof: string
  let investor: Person
  beforeAll(async () => {
    world = await openWorld({ rateLimit: false })
    folder = mkdtempSync(join(tmpdir(), 'verifier-'))
    atEnd(() => rmSync(folder, { recursive: true }))
    investor = await world.person('Ines Vestor')
    await world.fund(investor, 100_000n)
    await sealBooks(world.services)
    await writeLog(world.services, { closeNow: true })
    await world.app.listen({ host: '127.0.0.1', port: 0 })
    proof = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}/proof`
    const answer = await fetch(`${proof}/verifier.tgz`)
    writeFileSync(join(folder, 'verifier.tgz'), Buffer.from(await answer.arrayBuffer()))
    execFileSync('tar', ['-xzf', 'verifier.tgz'], { cwd: folder })
  })

  test('is run by npx from the address of the proof, and finds that all holds', async () => {
    const env = { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: 'false' }
    const args = ['--yes', `${proof}/verifier.tgz`, proof, '--json']
    const { stdout } = await promisify(execFile)('npx', args, { cwd: folder, env })
    const { holds, failures, remarks } = JSON.parse(stdout)
    expect({ holds, failures }).toEqual({ holds: true, failures: [] })
    expect(remarks).not.toContainEqual(expect.stringContaining('not the version that the firm sealed'))
  })

  test('has the files whose hash each epoch seals', async () => {
    const listing = 'cd package/verifier && LC_ALL=C sha256sum *.mjs | sha256sum'
    const [hash] = execFileSync('sh', ['-c', listing], { cwd: folder, encoding: 'utf8' }).split(' ')
    const leaf = await (await fetch(`${proof}/tile/entries/000.p/2`)).text()
    expect(leaf).toContain(`; verifier: sha256=${hash}\n`)
  })

  /** What the commands of its README print, from some words to the end of their chapter, where it was unpacked. */
  async function asInReadme(from: string, ...files: [name: string, content: string][]) {
    for (const [name, content] of files) writeFileSync(join(folder, name), content)
    const readme = readFileSync(join(folder, 'package/verifier/README.md'), 'utf8')
    const [, text = ''] = readme.split(from)
    const blocks = text.split(/\n##? /)[0]!.matchAll(/```sh\n(.*?)```/gs)
    const commands = [...blocks].map(([, block]) =>
      block!
        .replaceAll('https://firm.example/proof', proof)
        .replaceAll('node verifier/', 'node package/verifier/'),
    )
    const env = { PATH: process.env.PATH, HOME: folder }
    const printed = []
    for (const command of commands) {
      const { stdout } = await promisify(execFile)('sh', ['-ec', command], { cwd: folder, env })
      printed.push(stdout)
    }
    return printed
  }

  test('has commands in its README that show its hash in the log', async () => {
    const [lines = ''] = await asInReadme('or download it once and read it:')
    const [, hash] = /^([0-9a-f]{64}) {2}-\nAll holds/.exec(lines)!
    expect(lines.endsWith(`\n; verifier: sha256=${hash}\n`)).toBe(true)
  })

  test("has a command in its README for each of an investor's saved files", async () => {
    const { data: saved } = await world.call(ownProof, investor, { query: { since: '0' } })
    const { rows } = await world.owner(
      `SELECT e.id FROM ledger.entries e JOIN ledger.accounts a ON a.id = e.account_id WHERE a.owner = '${investor.id}'`,
    )
    const { note } = await receiptFor(world.services, investor.id, rows[0].id)
    const [alone, receipt, kept] = await asInReadme(
      '## A saved proof or a receipt',
      ['saved-proof.json', JSON.stringify(saved)],
      ['receipt.txt', note],
    )
    expect(alone).toMatch(/^All holds: the balance of \$1,000\.00 on /)
    expect(receipt).toMatch(/receipt\.txt: entry 1 of available .*: signed\./)
    expect(kept).toContain('✓ Receipts whose line is in its journal: 1.')
  })

  test('names the same commands in its help', async () => {
    const command = [join(folder, 'package/verifier/verify.mjs'), '--help']
    const { stdout } = await promisify(execFile)(process.execPath, command)
    for (const words of [
      "grep '^; verifier:' journal.txt | tail -n 1",
      'verify.mjs --proof-file saved-proof.json ',
      'verify.mjs https://firm.example/proof --receipt receipt.txt',
      'verify.mjs --proof-file saved-proof.json --receipt receipt.txt',
    ])
      expect(stdout).toContain(words)
  })

  test('has what its documents link to, and nothing that npm runs or installs', () => {
    for (const document of ['README.md', '../docs/proof-format.md']) {
      const path = join(folder, 'package/verifier', document)
      const links = readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)
      for (const [, link] of links) expect(() => readFileSync(join(path, '..', link!)), link).not.toThrow()
    }
    const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
    expect(Object.keys(manifest)).not.toContain('scripts')
    expect(Object.keys(manifest).filter(name => /ependencies/.test(name))).toEqual([])
  })
})
