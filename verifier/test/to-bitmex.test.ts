import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { firmsDays, rowsOf, write } from './made-up-firm.ts'

/** The tree of liabilities as BitMEX's validator reads it. */

const folder = mkdtempSync(join(tmpdir(), 'to-bitmex-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { drafts, investors } = write(firmsDays())
const { tree, number, shares } = drafts.at(-1)!

function csv(): string {
  writeFileSync(join(folder, 'leaves.bin'), tree)
  const script = join(import.meta.dirname, '../to-bitmex.mjs')
  return execFileSync(process.execPath, [script, join(folder, 'leaves.bin'), String(number)]).toString()
}

test('has all nodes of the tree, the root first', () => {
  const rows = rowsOf(tree).toReversed()
  const nodes = rows.flatMap(row =>
    Array.from({ length: row.length / 40 }, (_, at) => row.subarray(at * 40, at * 40 + 40)),
  )
  const lines = nodes.map(node => `${node.toString('hex', 0, 32)},${node.readBigUInt64LE(32)}\n`)
  expect(csv()).toBe(`block_height:20\n${lines.join('')}`)
})

const validator = process.env.BITMEX_VALIDATOR ?? ''

// Licensed under MPL 2.0 and not part of this repository: name your copy of validate_liabilities.py.
test.skipIf(validator === '')("BitMEX's validator finds each balance (BITMEX_VALIDATOR)", () => {
  writeFileSync(join(folder, 'proof.csv'), csv())
  const validate = (nonce: Buffer, account: bigint) =>
    execFileSync('python3', [
      ...[validator, '--proof', join(folder, 'proof.csv')],
      ...['--account', String(account), '--account_nonce', nonce.toString('hex')],
    ]).toString()
  const total = new Intl.NumberFormat('en-US').format(shares.reduce((sum, { value }) => sum + value, 0n))
  for (const [at, { secret, email, accountNumber, accounts }] of investors.entries()) {
    const nonce = createHmac('sha256', secret).update(`probity-pol-id/v1\n${email}\n`).digest()
    const cents = [...accounts.values()].reduce((sum, { balance }) => sum + balance, 0n)
    expect(shares.some(({ investor }) => investor === at)).toBe(cents > 0n)
    const said = validate(nonce, accountNumber)
    expect(said).toContain(
      `Validated ${new Intl.NumberFormat('en-US').format(cents)} sats for account ${accountNumber}`,
    )
    expect(said).toContain(`Total liabilities ${total} sats`)
  }
  writeFileSync(
    join(folder, 'proof.csv'),
    csv().replace(/,(\d)(\d*)\n/, (_, first) => `,${(Number(first) % 9) + 1}\n`),
  )
  const { secret, email, accountNumber } = investors[0]!
  const nonce = createHmac('sha256', secret).update(`probity-pol-id/v1\n${email}\n`).digest()
  expect(() => validate(nonce, accountNumber)).toThrow('Tree node sats computation mismatch')
})
