import { describe, expect, test } from 'vitest'
import { Cosigner } from '#test/support/cosigner.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { Opening } from '#verifier/opening.mjs'
import {
  type Books,
  type Draft,
  firmsDays,
  newKey,
  publish,
  sha256,
  tilesOfLeaves,
  write,
} from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'
import { visitOnce } from './run-audit.ts'

/** A firm whose transactions are closed from its eleventh day on. */

const key = newKey()
const CLOSED_FROM = 11
const saltOf = (number: number, at: number) => sha256(`salt ${number} ${at}`)
const closedLeaf = (salt: Buffer, text: string) => `; sealed:${sha256(salt, text).toString('base64')}\n\n`

/** @param lie what the firm changes before it seals */
function closedBooks(lie: (draft: Draft) => void = () => undefined): Books {
  const { drafts, investors } = write(firmsDays())
  for (const draft of drafts.slice(CLOSED_FROM - 1)) {
    draft.transactions = draft.transactions.map((text, at) => closedLeaf(saltOf(draft.number, at), text))
    lie(draft)
  }
  return { drafts, investors }
}

const inLast = (change: (draft: Draft) => void) => (draft: Draft) => {
  if (draft.number === 20) change(draft)
}

test('says what holds of a firm with closed transactions, and what nobody can see', async () => {
  const { exitCode, failures, report, audit } = await visitOnce(publish(closedBooks(), key))
  expect(failures).toEqual([])
  expect(exitCode).toBe(0)
  expect(audit.log).toMatchObject({ closed: 250, closedSince: CLOSED_FROM })
  expect(report).not.toContain('All holds')
  expect(report).toContain('250 transactions of firm.example/proof cannot: they are closed')
  expect(report).toContain("the totals are the firm's word")
  expect(report).not.toMatch(/Every total .* is the sum of the journal|Every total follows from it/)
})

test("names a visitor's policy that fails, and not what is closed, as the reason", async () => {
  const { vkey } = new Cosigner('ann.example')
  const policy = `witness ann ${vkey}\nquorum ann\n`
  const { exitCode, report } = await visitOnce(publish(closedBooks(), key), { policy })
  expect(exitCode).toBe(1)
  expect(report).toMatch(
    /^What can be seen of the books .* agrees with itself, but your policy's witnesses have/,
  )
})

test('takes the public figures from the stated totals where transactions are closed', async () => {
  const open = await visitOnce(publish(write(firmsDays()), key))
  const closed = await visitOnce(publish(closedBooks(), key))
  expect(closed.audit.log!.figures()).toEqual(open.audit.log!.figures())
})

test('of a firm that opens its books again, no balance is taken for negative', async () => {
  const { drafts } = write(firmsDays())
  for (const draft of drafts.slice(0, 10))
    draft.transactions = draft.transactions.map((text, at) => closedLeaf(saltOf(draft.number, at), text))
  const { exitCode, failures } = await visitOnce(publish({ drafts }, key))
  expect(failures).toEqual([])
  expect(exitCode).toBe(0)
})

const totalOf = (account: string, change: (digits: string) => string) => (draft: Draft) => {
  draft.end = draft.end.replace(new RegExp(`(?<=; assert: ${account} )\\S+(?= USD)`), change)
}
const moreOf = (digits: string) => digits.replace(/\d(?=\.)/, digit => String((Number(digit) + 1) % 10))

describe('names the lies of a firm with closed transactions', () => {
  test.each<[string, string, RegExp, (draft: Draft) => void]>([
    [
      'a stated total that does not add up',
      'totals',
      /do not add up to zero/,
      inLast(totalOf('Equity:Exchange', moreOf)),
    ],
    [
      'a stated debt that is less than nothing',
      'totals',
      /Liabilities:Recorded-Returns is stated below zero/,
      inLast(totalOf('Liabilities:Recorded-Returns', digits => digits.replace('-', ''))),
    ],
    [
      'stated totals out of order',
      'totals',
      /not in order/,
      inLast(draft => {
        draft.end = draft.end.replace(/(; assert: .*\n)(; assert: .*\n)/, '$2$1')
      }),
    ],
    [
      'a tree that is not the stated debt',
      'liabilities',
      /./,
      inLast(draft => {
        totalOf('Liabilities:Investors:Available', moreOf)(draft)
        totalOf('Equity:Exchange', moreOf)(draft)
      }),
    ],
    [
      'a closed leaf that is no hash',
      'journal',
      /./,
      inLast(draft => (draft.transactions[3] = '; sealed:AAAA\n\n')),
    ],
  ])('%s', async (kind, check, says, lie) => {
    expectListed(kind)
    const { failures, exitCode } = await visitOnce(publish(closedBooks(lie), key))
    expect(failures).toContainEqual({ check, message: expect.stringMatching(says) })
    expect(exitCode).toBe(1)
  })

  test('a closed leaf replaced by another', async () => {
    expectListed('a closed leaf replaced by another')
    const books = closedBooks()
    const files = publish(books, key)
    const leaves = books.drafts.flatMap(({ transactions, end }) => [...transactions, end])
    leaves[300] = closedLeaf(saltOf(0, 0), 'another')
    for (const [path, content] of tilesOfLeaves(leaves)) {
      if (path.startsWith('tile/entries/')) files.set(path, content)
    }
    const { failures } = await visitOnce(files, { vkey: key.vkey })
    expect(failures).toContainEqual({
      check: 'log',
      message: expect.stringMatching(/^leaf 300 is not what/),
    })
  })
})

/** The opening of closed leaves alone: those of lines are judged in server/proof/opening.test.ts. */
function textsOf({ drafts }: Books): string[] {
  const { drafts: honest } = write(firmsDays())
  const rows = ['probity-opening/v1']
  let leaf = 0
  for (const { number, transactions } of drafts) {
    rows.push(`epoch ${number}`)
    for (const at of transactions.keys()) {
      if (number >= CLOSED_FROM) {
        const text = Buffer.from(honest[number - 1]!.transactions[at]!).toString('base64')
        rows.push(`text ${leaf} ${saltOf(number, at).toString('base64')} ${text}`)
      }
      leaf++
    }
    leaf++
  }
  return rows
}

async function withTexts(books: Books, rows: string[]) {
  const opening = new Opening(nodeHashes, () => rows.shift() ?? null)
  return await visitOnce(publish(books, key), { opening })
}

test('an opening makes totals computable again', async () => {
  const books = closedBooks()
  const { failures, audit } = await withTexts(books, textsOf(books))
  // Keys and lines are not in it.
  expect(new Set(failures.map(({ check }) => check))).toEqual(new Set(['opening']))
  expect(audit.log).toMatchObject({ closed: 0 })
})

test("an opened total that is not the journal's is named", async () => {
  expectListed("an opened total that is not the journal's")
  const books = closedBooks(
    inLast(draft => {
      totalOf('Equity:Exchange', moreOf)(draft)
      totalOf('Equity:Payouts', moreOf)(draft)
    }),
  )
  const { failures } = await withTexts(books, textsOf(books))
  expect(failures.filter(({ check }) => check === 'totals')).not.toEqual([])
})
