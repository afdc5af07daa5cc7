import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { GO_LIBRARIES } from '#tools/proof-programs.ts'
import { firmsDays, newKey, publish, savedProof, write } from './made-up-firm.ts'

/** An investor's saved proof in the standard form of one leaf, for programs of other authors. */

const folder = mkdtempSync(join(tmpdir(), 'tlog-proofs-'))
afterAll(() => rmSync(folder, { recursive: true }))
const key = newKey()
const books = write(firmsDays(20))
const proof = savedProof(books, 3, publish(books, key), key)
const saved = join(folder, 'saved.json')
const written = join(folder, 'proofs')

function split(file: string, into: string): void {
  const command = [join(import.meta.dirname, '../verify.mjs'), '--proof-file', file, '--vkey', key.vkey]
  execFileSync(process.execPath, [...command, '--tlog-proofs', into], { stdio: 'pipe' })
}
writeFileSync(saved, JSON.stringify(proof))
split(saved, written)

test('a saved proof is split into its leaves and a proof of each', () => {
  const { epoch, transactions } = proof
  const leaves = [...transactions, epoch]
  expect(transactions.length).toBeGreaterThan(1)
  const names = leaves.flatMap(({ index }) => [`${index}.tlog-proof`, `${index}.txt`])
  expect(readdirSync(written).toSorted()).toEqual(names.toSorted())
  for (const { index, leaf } of leaves) expect(readFileSync(join(written, `${index}.txt`), 'utf8')).toBe(leaf)
  expect(readFileSync(join(written, `${epoch.index}.tlog-proof`), 'utf8')).toBe(
    `c2sp.org/tlog-proof@v1\nindex ${epoch.index}\n${epoch.path}\n\n${proof.checkpoint}`,
  )
})

test('nothing is split from a saved proof that does not hold', () => {
  const changed = structuredClone(proof)
  changed.transactions[0]!.leaf = changed.transactions[0]!.leaf.replace(/\d USD/, '7 USD')
  const file = join(folder, 'changed.json')
  writeFileSync(file, JSON.stringify(changed))
  expect(() => split(file, join(folder, 'none'))).toThrow()
  expect(readdirSync(folder)).not.toContain('none')
})

describe.skipIf(missingNode(testNodes.go))("Go's library for transparency logs", () => {
  const judge = async (index: string, leaf: string) => {
    const source = join(import.meta.dirname, '../../test/support/tlog-proof/main.go')
    const files = [join(written, `${index}.tlog-proof`), join(written, `${leaf}.txt`)]
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_LIBRARIES, GOCACHE: join(folder, 'go') }
    const args = ['run', source, key.vkey, ...files]
    return await promisify(execFile)(testNodes.go.find()!, args, { env }).then(
      ({ stdout }) => stdout,
      error => error.stdout as string,
    )
  }

  test('accepts the proof of a leaf, and refuses it for another', async () => {
    const [first, second] = proof.transactions.map(({ index }) => index)
    const [, size] = proof.checkpoint.split('\n')
    expect(await judge(first!, first!)).toBe(`leaf ${first} of ${size}\n`)
    expect(await judge(first!, second!)).toBe('invalid transparency proof\n')
  })
})
