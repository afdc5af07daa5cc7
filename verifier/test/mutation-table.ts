import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

const FILE = 'docs/proof-mutations.md'
const kinds = new Set(
  readFileSync(join(import.meta.dirname, '../..', FILE), 'utf8')
    .split('\n')
    .map(line => line.split('|')[1]?.trim()),
)

/** The table for readers has each kind of change that a test makes. */
export function expectListed(kind: string): void {
  expect(kinds, FILE).toContain(kind)
}
