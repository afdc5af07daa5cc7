import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEnd } from '#test/support/clean-up.ts'
import { Cosigner } from '#test/support/cosigner.ts'
import { witnessPolicyErrors } from './witness-policy.ts'

function errorsWith(witnesses: number): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'probity-policy-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'policy')
  const lines = Array.from({ length: witnesses }, (_, n) => {
    return `witness w${n} ${new Cosigner(`w${n}.example`).vkey} https://w${n}.example\n`
  })
  writeFileSync(file, `${lines.join('')}quorum w0\n`)
  return witnessPolicyErrors({ PROOF_WITNESS_POLICY: file })
}

test('a policy names no more witnesses than a checkpoint has room for', () => {
  expect(errorsWith(40)).toEqual([])
  expect(errorsWith(41)).toEqual(['PROOF_WITNESS_POLICY: it names more than 40 witnesses'])
})
