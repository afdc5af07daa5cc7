import { expect, test } from 'vitest'
import { firmsDays, newKey, publish, sha256, write } from './made-up-firm.ts'
import { visitOnce } from './run-audit.ts'

/** Lists of documents that the firm itself has sealed, and that are none. */

const [one, other] = ['a', 'b'].map(text => sha256(text).toString('hex')).toSorted() as [string, string]

test.each([
  ['which are not hashes', 'rent.pdf\n', /^epoch 2: evidence.txt is not a list of SHA-256 in hexadecimal/],
  ['of which one is named twice', `${one}\n${one}\n`, /^epoch 2: evidence.txt .* names a document twice/],
  ['in another order', `${other}\n${one}\n`, /^epoch 2: evidence.txt is not in order/],
  ['without its last line end', `${one}\n${other}`, /^epoch 2: evidence.txt is not a list/],
])('names documents %s', async (_name, listing, says) => {
  const books = write(firmsDays(3))
  const draft = books.drafts[1]!
  draft.files.set('evidence.txt', Buffer.from(listing))
  draft.end = draft.end.replace(/; evidence: .*\n/, `; evidence: sha256=${sha256(listing).toString('hex')}\n`)
  const { failures, exitCode } = await visitOnce(publish(books, newKey()))
  expect(failures).toEqual([{ check: 'documents', message: expect.stringMatching(says) }])
  expect(exitCode).toBe(1)
})
