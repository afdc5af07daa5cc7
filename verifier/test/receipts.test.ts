import { sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseEpoch } from '#verifier/epoch.mjs'
import { parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseSeen, tidied } from '#verifier/promises.mjs'
import { checkOwnReceipts } from '#verifier/receipts.mjs'
import {
  type Books,
  type Deed,
  type Files,
  firmsDays,
  type LogKey,
  newKey,
  publish,
  receiptsKey,
  savedProof,
  sha256,
  write,
} from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'
import { visitOnce } from './run-audit.ts'

/** Signed receipts, and the sizes and roots that emails print: every kind of receipt that is not kept, and what is said of it. */

const key = newKey()
const books = write(firmsDays(6))
const files = publish(books, key)
const [LAST_DAY, DAY_AFTER] = ['2026-10-06', '2026-10-07']

type Fields = Record<string, string>

/** Written after docs/proof-format.md, A receipt. */
function note(fields: Fields, signer: LogKey = receiptsKey): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  const text = `probity-receipt/v1\n${lines.join('')}`
  const signature = Buffer.concat([signer.keyId, sign(null, Buffer.from(text), signer.privateKey)])
  return `${text}\n— ${signer.origin} ${signature.toString('base64')}\n`
}

/** What the firm honestly promised for one entry of an investor's. */
function fieldsOf(investor = 0, entry = 0): Fields {
  const { owner, leaves } = books.investors[investor]!
  const { legs, date, event } = leaves[entry]!
  const { kind, version, amount, balance } = legs[0]!
  const by = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
  return {
    log: 'firm.example/proof',
    owner,
    kind,
    asset: 'USD',
    version: `${version}`,
    amount: `${amount}`,
    balance: `${balance}`,
    event,
    date,
    'sealed-by': by,
  }
}

/** An entry that the books do not have: made on a day, after the investor's last one. */
function unbooked(date: string, by: string): Fields {
  const { accounts } = books.investors[0]!
  const { version, balance } = accounts.get('available')!
  return {
    ...fieldsOf(),
    kind: 'available',
    version: `${version + 1n}`,
    amount: '5000',
    balance: `${balance + 5000n}`,
    event: 'deposit.settled',
    date,
    'sealed-by': by,
  }
}

const swapDigit = (signed: string) =>
  signed.replace(/\namount: \d/, found => `${found.slice(0, -1)}${found.endsWith('9') ? 8 : 9}`)

/** Lies that everybody sees, and those that need the investor's secret. */
const lies: readonly (readonly [name: string, says: RegExp, receipt: () => string])[] = [
  [
    'a forged signature',
    /the signature of .* on the receipt is forged/,
    () => note(fieldsOf()).replace(/.{7}=\n$/, 'AAAAAAA=\n'),
  ],
  ['a changed amount', /on the receipt is forged/, () => swapDigit(note(fieldsOf()))],
  [
    "the log's own key",
    /no signature of the key .* of firm.example\/proof\/receipts/,
    () => note(fieldsOf(), key),
  ],
  ['another key', /no signature of the key/, () => note(fieldsOf(), newKey('firm.example/proof/receipts'))],
  [
    'another log',
    /is of the log "other.example\/proof"/,
    () => note({ ...fieldsOf(), log: 'other.example/proof' }),
  ],
  [
    'a promise of another day',
    /must promise the day after/,
    () => note({ ...fieldsOf(), 'sealed-by': '2027-01-01' }),
  ],
  ['a day that does not exist', /not in the calendar/, () => note({ ...fieldsOf(), date: '2026-13-01' })],
  ['a line left out', /not a receipt/, () => note(Object.fromEntries(Object.entries(fieldsOf()).slice(1)))],
  ['no signature', /not a signed note/, () => note(fieldsOf()).split('\n\n')[0]!],
]
const broken: readonly (readonly [name: string, whole: RegExp, own: RegExp, receipt: () => string])[] = [
  [
    'another amount than the log',
    /promised its leaf by .* the log up to 2026-10-06 has none/,
    /contradicts the receipt/,
    () => note({ ...fieldsOf(), amount: '99', balance: '99' }),
  ],
  [
    'another balance',
    /has none/,
    /contradicts the receipt/,
    () => note({ ...fieldsOf(), balance: '99999999' }),
  ],
  ["another's entry", /has none/, /is of another account/, () => note(fieldsOf(1))],
  [
    'an entry that the log does not have',
    /receipt for entry \d+ of available \(deposit.settled of 2026-10-05, 50.00 USD/,
    /promised its leaf by the end of 2026-10-06; the log up to 2026-10-06 has none/,
    () => note(unbooked('2026-10-05', LAST_DAY)),
  ],
]

/** The whole log is read, as a stranger does, with or without the investor's secret. */
async function inLog(receipt: string, secret: Buffer | null, published: Files = files) {
  const given = { vkey: key.vkey, receipts: [{ name: 'receipt.txt', note: receipt }], secret }
  return await visitOnce(published, given)
}

/** Offline, in the investor's saved proof. */
function inProof(receipt: string, of: Books = books, investor = 0) {
  const saved = parseSavedProof(
    JSON.stringify({ ...savedProof(of, investor, publish(of, key), key), receipts: [receipt] }),
  )
  return checkOwnReceipts(saved.receipts, saved, parseEpoch(saved.epoch.leaf), nodeHashes)
}

describe('an honest receipt', () => {
  const { secret } = books.investors[0]!

  test('is signed, and its owner finds its line in the log', async () => {
    for (const [entry] of books.investors[0]!.leaves.entries()) {
      expect(inProof(note(fieldsOf(0, entry)))).toEqual({ sealed: 1, pending: 0, earlier: 0 })
    }
    const { audit, exitCode, report } = await inLog(note(fieldsOf()), secret)
    expect([exitCode, audit.receipts[0]!.state]).toEqual([0, 'sealed'])
    expect(report).toContain('its line is in the log')
    expect((await inLog(note(fieldsOf()), null)).report).toContain("only its owner's saved proof shows")
  })

  test('of the last day need not be in the log yet', async () => {
    const receipt = note(unbooked(LAST_DAY, DAY_AFTER))
    expect(inProof(receipt)).toEqual({ sealed: 0, pending: 1, earlier: 0 })
    const { audit, exitCode, report } = await inLog(receipt, secret)
    expect([exitCode, audit.receipts[0]!.state]).toEqual([0, 'not due'])
    expect(report).toContain('need not be yet')
  })

  test('is read from an email, with its line ends and the words around it', () => {
    const receipt = note(fieldsOf())
    const email = `Hello Ann,\r\n\r\n  ${receipt.replaceAll('\n', '\r\n  ')}\r\nYour firm`
    expect(tidied(email)).toBe(receipt)
  })
})

describe('a receipt with', () => {
  test.each(lies)('%s is found and named, by everybody', async (kind, says, receipt) => {
    expectListed(kind)
    const { failures, exitCode, report } = await inLog(receipt(), null)
    expect(failures).toContainEqual({ check: 'receipts', message: expect.stringMatching(says) })
    expect(exitCode).toBe(1)
    expect(report).toMatch(
      /^The books that .* agree with themselves, but a receipt that you gave is not valid,/,
    )
    expect(report).toContain('which says nothing about the books.')
    expect(report).not.toContain('proves their fault')
    expect(report).toContain('may be cut off or changed, or not from firm.example.')
    // Which keys were sealed before, the proof of one epoch does not show.
    if (kind === 'another key') expect(inProof(receipt())).toEqual({ sealed: 0, pending: 0, earlier: 1 })
    else expect(() => inProof(receipt())).toThrow(says)
  })

  test.each(broken)('%s is found and named, by its owner', async (kind, whole, own, receipt) => {
    expectListed(kind)
    expect((await inLog(receipt(), null)).exitCode).toBe(0)
    const { failures, exitCode, report } = await inLog(receipt(), books.investors[0]!.secret)
    expect(failures).toContainEqual({ check: 'receipts', message: expect.stringMatching(whole) })
    expect(exitCode).toBe(1)
    expect(report).toMatch(
      /^The books .*, but the firm has not kept what it promised in a signed receipt\.\n/,
    )
    expect(report).toMatch(/^ {2}✗ Receipts$/m)
    expect(report).toContain('proves their fault')
    expect(() => inProof(receipt())).toThrow(own)
  })

  test('its line in the log under another event is found and named', async () => {
    const receipt = note({ ...fieldsOf(), event: 'withdrawal.declined' })
    const { failures } = await inLog(receipt, books.investors[0]!.secret)
    const says = /contradicts the receipt/
    expect(failures).toEqual([{ check: 'receipts', message: expect.stringMatching(says) }])
    expect(() => inProof(receipt)).toThrow(says)
  })

  test.each([0, 1])('its line sealed days after its day is found and named (%i)', async late => {
    const { leaves, secret } = books.investors[4]!
    const entry = leaves.findIndex(({ epoch }) => epoch === 4 + late)
    const receipt = note({ ...fieldsOf(4, entry), date: '2026-10-01', 'sealed-by': '2026-10-02' })
    const says = /promised its leaf by the end of 2026-10-02; it came later: .*, of 2026-10-0[45]$/
    const { failures } = await inLog(receipt, secret)
    expect(failures).toEqual([{ check: 'receipts', message: expect.stringMatching(says) }])
    expect(() => inProof(receipt, books, 4)).toThrow(says)
  })

  test('its line sealed by the end of the next day is kept', async () => {
    const { leaves, secret } = books.investors[4]!
    const entry = leaves.findIndex(({ epoch }) => epoch === 2)
    const receipt = note({ ...fieldsOf(4, entry), date: '2026-10-01', 'sealed-by': '2026-10-02' })
    expect((await inLog(receipt, secret)).audit.receipts[0]!.state).toBe('sealed')
    expect(inProof(receipt, books, 4)).toEqual({ sealed: 1, pending: 0, earlier: 0 })
  })

  test('its leaf left out of the log is found and named', async () => {
    const days = firmsDays(6)
    const isOwn = ({ investor, event }: Deed) => investor === 0 && event === 'earning.paid'
    const day = days.slice(0, -1).findLast(({ deeds }) => deeds.some(isOwn))!
    day.deeds.splice(day.deeds.findLastIndex(isOwn), 1)
    const lying = write(days)
    const entry = books.investors[0]!.leaves.findLastIndex(
      ({ event, date }) => event === 'earning.paid' && date === day.date,
    )
    const receipt = note(fieldsOf(0, entry))
    const { failures } = await inLog(receipt, lying.investors[0]!.secret, publish(lying, key))
    expect(failures).toContainEqual({ check: 'receipts', message: expect.stringMatching(/has none/) })
    expect(() => inProof(receipt, lying)).toThrow(/has none|contradicts/)
  })
})

describe('the key of receipts', () => {
  test.each([
    [
      'another than the sealed one',
      /the newest epoch seals/,
      `${newKey('firm.example/proof/receipts').vkey}\n`,
    ],
  ] as const)('%s is found and named', async (_, says, vkey) => {
    const { failures } = await visitOnce(new Map(files).set('receipts-vkey', Buffer.from(vkey)))
    expect(failures).toContainEqual({ check: 'receipts', message: expect.stringMatching(says) })
  })

  test('due before any transaction was closed is missing, and not only unknown', async () => {
    const drafts = books.drafts.map(draft => {
      const hidden = draft.transactions.map(text => `; sealed:${sha256(text).toString('base64')}\n\n`)
      return draft.number < 5 ? draft : { ...draft, transactions: hidden }
    })
    const closed = publish({ drafts }, key)
    const { secret } = books.investors[0]!
    const { failures } = await inLog(note(unbooked('2026-10-02', '2026-10-03')), secret, closed)
    expect(failures).toEqual([
      { check: 'receipts', message: expect.stringContaining('promised its leaf by the end of 2026-10-03') },
    ])
    const later = await inLog(note(unbooked('2026-10-05', '2026-10-06')), secret, closed)
    expect(later.failures).toEqual([])
    expect(later.exitCode).toBe(2)
  })

  const next = newKey('firm.example/proof/receipts')
  /** @param from the epochs that seal another key */
  const replaced = (from: number, to = Number.POSITIVE_INFINITY) => {
    const drafts = books.drafts.map(draft =>
      draft.number < from || draft.number > to
        ? draft
        : { ...draft, end: draft.end.replace(/; receipts: .*\n/, `; receipts: ${next.vkey}\n`) },
    )
    const newest = to >= drafts.length ? next : receiptsKey
    return publish({ drafts }, key).set('receipts-vkey', Buffer.from(`${newest.vkey}\n`))
  }

  test('that was replaced counts for receipts of its own days only', async () => {
    expectListed('the key of a time when it was replaced')
    const late = note(unbooked(LAST_DAY, DAY_AFTER))
    const { failures } = await inLog(late, null, replaced(4))
    expect(failures).toEqual([
      { check: 'receipts', message: expect.stringMatching(/was replaced on 2026-10-04: a thief/) },
    ])
    expect((await inLog(late, null, replaced(5))).failures).toEqual([])
    expect((await inLog(note(unbooked(LAST_DAY, DAY_AFTER), next), null, replaced(4))).failures).toEqual([])
  })

  test('that was replaced, and is sealed again, is found and named', async () => {
    expectListed('a replaced key that is sealed again')
    const { failures } = await visitOnce(replaced(3, 4))
    expect(failures).toContainEqual({
      check: 'receipts',
      message: 'epoch 5 seals a key of receipts again that was replaced',
    })
  })

  test('missing from the files is not verified', async () => {
    const published = new Map(files)
    published.delete('receipts-vkey')
    expect((await visitOnce(published)).exitCode).toBe(2)
  })

  test.each([
    ["the log's own", /is named/, key.vkey],
    ['of another name', /is named/, newKey('other.example/receipts').vkey],
    ['that is none', /is not a verifier key/, 'nothing'],
  ])('%s in an epoch is found and named', async (_, says, vkey) => {
    const drafts = books.drafts.map(draft => ({
      ...draft,
      end: draft.end.replace(/; receipts: .*\n/, `; receipts: ${vkey}\n`),
    }))
    const published = publish({ drafts }, key).set('receipts-vkey', Buffer.from(`${vkey}\n`))
    const { failures } = await visitOnce(published)
    expect(failures).toContainEqual({ check: 'receipts', message: expect.stringMatching(says) })
  })

  test('may change: receipts by the earlier one stay valid', async () => {
    const next = newKey('firm.example/proof/receipts')
    const drafts = books.drafts.map((draft, at) => ({
      ...draft,
      end: at < 3 ? draft.end : draft.end.replace(receiptsKey.vkey, next.vkey),
    }))
    const published = publish({ drafts }, key).set('receipts-vkey', Buffer.from(`${next.vkey}\n`))
    for (const signer of [receiptsKey, next]) {
      const { exitCode, report } = await inLog(
        note(fieldsOf(), signer),
        books.investors[0]!.secret,
        published,
      )
      expect(exitCode).toBe(0)
      expect(report).toContain('Receipts have another key since epoch 4')
    }
  })
})

describe('the size and root in an email or a statement', () => {
  const checkpoint = files.get('epochs/3/checkpoint')!.toString().split('\n')
  const [size, root] = [Number(checkpoint[1]), checkpoint[2]!]
  const visit = (...seen: string[]) => visitOnce(files, { seen: seen.map(parseSeen) })

  test('of this log are its beginning', async () => {
    const newest = files.get('checkpoint')!.toString().split('\n')
    const { exitCode, report } = await visit(
      `${size.toLocaleString('en-US')}:${root}`,
      `${newest[1]}:${newest[2]}`,
    )
    expect(exitCode).toBe(0)
    expect(report).toContain('The log continues the 2 sizes and roots that you were shown before')
  })

  test.each([
    ['another root', /shown a different history/, `${size}:${sha256('x').toString('base64')}`],
    ['the root of another size', /shown a different history/, `${size + 1}:${root}`],
    ['more leaves than there are', /the published log has \d+: it hides/, `99999:${root}`],
  ])('%s is found and named', async (_, says, seen) => {
    const { failures, exitCode } = await visit(seen)
    expect(failures).toContainEqual({ check: 'seen', message: expect.stringMatching(says) })
    expect(exitCode).toBe(1)
  })

  test('that are none are refused', () => {
    for (const text of ['12', '12:x', `12:${Buffer.alloc(31).toString('base64')}`]) {
      expect(() => parseSeen(text)).toThrow()
    }
  })
})
