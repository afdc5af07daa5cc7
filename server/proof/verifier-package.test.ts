import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { writeLog } from './epochs.ts'

/** The verifier as a stranger gets it, who has a browser, Node and npm, and not our source code. */

describe('the package of the verifier', () => {
  let world: World
  let folder: string
  let proof: string
  beforeAll(async () => {
    world = await openWorld({ rateLimit: false })
    folder = mkdtempSync(join(tmpdir(), 'verifier-'))
    atEnd(() => rmSync(folder, { recursive: true }))
    await world.fund(await world.person('Ines Vestor'), 100_000n)
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
