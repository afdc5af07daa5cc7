import { describe, expect, test } from 'vitest'
import {
  bundle,
  checkpointOf,
  type Deed,
  type Draft,
  deeds,
  type Files,
  firmsDays,
  newKey,
  publish,
  sha256,
  treeLine,
  write,
} from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'
import { visitOnce } from './run-audit.ts'

/** Every kind of lie about the books, and what the verifier says of it. */

type Lie = readonly [name: string, check: string, says: RegExp]

const key = newKey()
const honestBooks = write(firmsDays())
const honestFiles = publish(honestBooks, key)

async function expectNamed(files: Files, [kind, check, says]: Lie): Promise<void> {
  expectListed(kind)
  const { failures, exitCode } = await visitOnce(files, { vkey: key.vkey })
  expect(failures).toContainEqual({ check, message: expect.stringMatching(says) })
  expect(exitCode).toBe(1)
}

test('finds nothing wrong with an honest firm', async () => {
  const { failures, exitCode, audit } = await visitOnce(honestFiles)
  expect(failures).toEqual([])
  expect(audit.findings.missing).toEqual([])
  expect(exitCode).toBe(0)
})

describe('published files that are not what was sealed', () => {
  const lies: readonly (readonly [...Lie, (files: Files) => void])[] = [
    [
      'an amount in a leaf',
      'log',
      /^leaf 3 is not what tile\/0\/000 says was sealed/,
      of('tile/entries/000', swapText('USD', 'USE', 7)),
    ],
    [
      'the root after it',
      'log',
      /^the leaves give the root/,
      of('tile/entries/000', swapText('USD', 'USE', 7)),
    ],
    ['a digit of a tag', 'log', /^leaf \d+ is not what/, of('tile/entries/000', nextByte('leg:', 5))],
    [
      'two leaves swapped',
      'log',
      /^leaf 3 is not what/,
      leavesOf('000', leaves => ([leaves[3], leaves[4]] = [leaves[4]!, leaves[3]!])),
    ],
    [
      'a leaf removed',
      'log',
      /tile\/entries\/000 ends within leaf 255/,
      leavesOf('000', leaves => leaves.splice(9, 1)),
    ],
    [
      'a leaf inserted',
      'log',
      /tile\/entries\/000 has bytes after its last leaf/,
      leavesOf('000', leaves => leaves.splice(9, 0, leaves[9]!)),
    ],
    [
      'a leaf replaced by another',
      'log',
      /^leaf 9 is not what/,
      leavesOf('000', leaves => (leaves[9] = leaves[8]!)),
    ],
    [
      'a leaf that is repeated',
      'tags',
      /is also on another line/,
      leavesOf('000', leaves => (leaves[2] = leaves[1]!)),
    ],
    [
      'bytes after the newest leaf',
      'log',
      /tile\/entries\/002\.p\/8 has bytes after/,
      of('tile/entries/002.p/8', bytes => Buffer.concat([bytes, Buffer.from('x')])),
    ],
    [
      'a hash of a leaf',
      'log',
      /^a tile is wrong, the leaves are those of the checkpoint: leaf 5/,
      of('tile/0/000', flip(5 * 32)),
    ],
    [
      'a hash of the level above',
      'log',
      /^a tile is wrong.*tile\/1\/000\.p\/2 is not what its leaves give, at its hash 1/,
      of('tile/1/000.p/2', flip(32)),
    ],
    [
      'a tile cut short',
      'log',
      /^a tile is wrong.*leaf 258/,
      of('tile/0/001', bytes => bytes.subarray(0, 64)),
    ],
    [
      'a leaf together with its hash',
      'log',
      /^tile\/1\/000\.p\/2 is not what its leaves give, at its hash 0/,
      leafAndHash,
    ],
    [
      'a signature with one other bit',
      'signature',
      /the signature of firm.example\/proof on the checkpoint is forged/,
      of('checkpoint', forge),
    ],
    [
      'a larger size under the old signature',
      'signature',
      /forged/,
      of('checkpoint', replace('\n520\n', '\n521\n')),
    ],
    [
      "another key's signature",
      'signature',
      /has no signature of the key/,
      at('checkpoint', () => checkpointOf(newKey(), 520, sha256())),
    ],
    [
      'a checkpoint of another log',
      'signature',
      /is of the log "other.example"/,
      at('checkpoint', () => checkpointOf(newKey('other.example'), 520, sha256())),
    ],
    [
      'a checkpoint without a signature',
      'signature',
      /not a line of a signature|not a signed note/,
      of('checkpoint', bytes => bytes.subarray(0, bytes.indexOf('—'))),
    ],
    [
      'another key than the one given',
      'key',
      /is not the one pinned/,
      at('vkey', () => Buffer.from(newKey().vkey)),
    ],
    [
      "an epoch's checkpoint of another epoch",
      'checkpoints',
      /^epoch 4: its checkpoint states/,
      files => at('epochs/4/checkpoint', () => files.get('epochs/5/checkpoint')!)(files),
    ],
    [
      'a forged checkpoint of an epoch',
      'checkpoints',
      /^epoch 4: .*forged/,
      of('epochs/4/checkpoint', forge),
    ],
    [
      'another history signed for an epoch',
      'checkpoints',
      /^epoch 4: its checkpoint states/,
      at('epochs/4/checkpoint', () => checkpointOf(key, 104, sha256('another'))),
    ],
    [
      'a value in the tree',
      'liabilities',
      /^epoch 7: its values add up to \d+ cents, the epoch's end states/,
      of('epochs/7/leaves.bin', flip(32)),
    ],
    [
      'a value moved between leaves',
      'liabilities',
      /^epoch 7: its root is/,
      of('epochs/7/leaves.bin', moveCent),
    ],
    ['a digest in the tree', 'liabilities', /^epoch 7: its root is/, of('epochs/7/leaves.bin', flip(41))],
    [
      'two leaves of the tree swapped',
      'liabilities',
      /^epoch 7: its root is/,
      of('epochs/7/leaves.bin', bytes =>
        Buffer.concat([bytes.subarray(40, 80), bytes.subarray(0, 40), bytes.subarray(80)]),
      ),
    ],
    [
      'a leaf of the tree removed',
      'liabilities',
      /^epoch 7: leaves.bin has 1240 bytes/,
      of('epochs/7/leaves.bin', bytes => bytes.subarray(40)),
    ],
    [
      'a sibling in the tree',
      'liabilities',
      /^epoch 20: nodes\/1 is not what leaves.bin gives/,
      of('epochs/20/nodes/1', flip(0)),
    ],
    [
      'a sum in the tree',
      'liabilities',
      /^epoch 20: nodes\/1 is not what leaves.bin gives/,
      of('epochs/20/nodes/1', flip(72)),
    ],
    [
      'a line of the other assets',
      'reserves',
      /^epoch 7: assets.csv has been changed/,
      of('epochs/7/assets.csv', replace('7000.00', '8000.00')),
    ],
    [
      'a line of the evidence',
      'documents',
      /^epoch 3: evidence.txt has been changed/,
      of('epochs/3/evidence.txt', flip(0)),
    ],
  ]
  test.each(lies)('names %s (%s)', async (...[name, check, says, change]) => {
    const files = new Map(honestFiles)
    change(files)
    await expectNamed(files, [name, check, says])
  })
})

describe('lies that the firm seals and signs', () => {
  const lies: readonly (readonly [...Lie, (drafts: Draft[]) => void])[] = [
    [
      'an amount',
      'journal',
      /^leaf 53 \(epoch 3\): it does not balance/,
      inLeaf(/-(\d+)\.(\d\d) USD/, '-9$1.$2 USD'),
    ],
    [
      'a larger transaction',
      'totals',
      /^epoch 3: .* is stated as .*, the journal has/,
      inLeaf(/(\d+)\.(\d\d) USD/g, '9$1.$2 USD'),
    ],
    ['an amount with fewer decimals', 'journal', /USD has 2 decimals/, inLeaf(/(\.\d)\d USD/g, '$1 USD')],
    [
      'an amount with a leading zero',
      'journal',
      /not a line of a transaction/,
      inLeaf(/ (\d+\.\d\d USD)/, ' 0$1'),
    ],
    ['a line that moves nothing', 'journal', /a line moves nothing/, inLeaf(/ \d+\.\d\d USD/, ' 0.00 USD')],
    [
      'an account that the books do not have',
      'journal',
      /the books have no account Assets:Yacht/,
      inLeaf('Equity:Exchange', 'Assets:Yacht'),
    ],
    ['a coin that the account does not hold', 'journal', /has no DOGE/, inLeaf('BTC', 'DOGE')],
    [
      'an event that the books do not have',
      'journal',
      /the books have no event "deposit.imagined"/,
      inLeaf('deposit.settled', 'deposit.imagined'),
    ],
    ['a memo', 'journal', /not a line of a transaction/, inLeaf(/USD\n/, 'USD  ; for Ann\n')],
    ['a carriage return', 'journal', /not a line of a transaction|its first line/, inLeaf(/\n/g, '\r\n')],
    ['no empty line at the end', 'journal', /ends with an empty line/, inLeaf(/\n$/, '')],
    [
      'a day that is not in the calendar',
      'journal',
      /there is no day 2026-09-31/,
      inLeaf('2026-10-03', '2026-09-31'),
    ],
    [
      'a date that goes back',
      'journal',
      /its date 2026-10-02 is before 2026-10-03/,
      inLeaf('2026-10-03', '2026-10-02', 3),
    ],
    [
      "an investor's line without a tag",
      'journal',
      /an investor's line has no tag/,
      inLeaf(/ {2}; leg:.*/, ''),
    ],
    [
      "a tag on a line of the firm's",
      'journal',
      /a line of the firm has a tag/,
      inLeaf('BTC\n', `BTC  ; leg:${sha256('tag').toString('base64')}\n`),
    ],
    ['a shortened tag', 'journal', /not a line of a transaction/, inLeaf(/leg:.{20}/, 'leg:')],
    ['one tag for two lines', 'tags', /^leaf \d+ \(epoch 3\): the tag \S+ is also on another line/, copyTag],
    ['a leaf left out', 'totals', /^epoch 3: /, drafts => drafts[2]!.transactions.splice(1, 1)],
    [
      'how many leaves the epoch has',
      'epochs',
      /^epoch 3: it states 25 transactions, the log has 26/,
      drafts => drafts[2]!.transactions.push(drafts[2]!.transactions[0]!),
    ],
    ['a total', 'totals', /^epoch 3: Assets:Custody is stated as/, inEnd('Custody 0', 'Custody 7')],
    [
      'a total left out',
      'totals',
      /^epoch 3: Equity:Payouts USD is missing/,
      inEnd(/; assert: Equity:Payouts .*\n/, ''),
    ],
    [
      'a total of nothing',
      'totals',
      /^epoch 3: Equity:Rounding is stated as 1.000000 USDC, the journal has none/,
      inEnd('; assert: Equity:Payouts', '; assert: Equity:Rounding 1.000000 USDC\n; assert: Equity:Payouts'),
    ],
    [
      'totals out of order',
      'totals',
      /^epoch 3: the balances are not in order/,
      inEnd(/(; assert: .*\n)(; assert: .*\n)/, '$2$1'),
    ],
    [
      'a total stated twice',
      'totals',
      /^epoch 3: the balances are not in order, or one is zero or stated twice/,
      inEnd(/(; assert: Equity:Payouts.*\n)/, '$1$1'),
    ],
    [
      'a line that no epoch has',
      'epochs',
      /an unknown or misplaced line/,
      inEnd('; verifier', '; note: trust us\n; verifier'),
    ],
    [
      'an epoch left out with its leaves',
      'epochs',
      /^epoch 4: epoch 3 is missing/,
      drafts => drafts.splice(2, 1),
    ],
    ['a number of an epoch', 'epochs', /^epoch 9: epochs 3 to 8 are missing/, inEnd('epoch: 3', 'epoch: 9')],
    [
      'an epoch that appears twice',
      'epochs',
      /^epoch 2: it comes where epoch 3 should/,
      inEnd('epoch: 3', 'epoch: 2'),
    ],
    [
      'an epoch that ends before its leaves',
      'epochs',
      /^epoch 3: it ends on 2026-10-02, but a leaf before it is of 2026-10-03/,
      inEnd('2026-10-03', '2026-10-02'),
    ],
    [
      'leaves that no epoch seals',
      'epochs',
      /^\d+ transactions follow the last epoch's end/,
      drafts => (drafts.at(-1)!.end = drafts[0]!.transactions[0]!),
    ],
    [
      'a smaller sum of liabilities',
      'liabilities',
      /^epoch 3: the tree's sum is .*, the journal owes investors/,
      withTree(tree => setValue(tree, 0, 1n)),
    ],
    [
      'no tree although investors have money',
      'liabilities',
      /^epoch 3: the tree's sum is 0.00 USD/,
      inEnd(/; pol: .*\n/, ''),
    ],
    [
      'one leaf for two people',
      'liabilities',
      /^epoch 3: leaves 0 and 1 are equal/,
      withTree(tree => tree.copy(tree, 40, 0, 40)),
    ],
    [
      'a leaf of nothing',
      'liabilities',
      /^epoch 3: leaf 0 has the value 0/,
      withTree(tree => setValue(tree, 0, 0n)),
    ],
    ['a negative value that hides others', 'liabilities', /^epoch 3: its values exceed 2\^53/, negativeValue],
    [
      'a root that its leaves do not give',
      'liabilities',
      /^epoch 3: its root is/,
      inEnd(/root=..../, 'root=0123'),
    ],
    [
      'a sum that its leaves do not give',
      'liabilities',
      /^epoch 3: its values add up to/,
      inEnd(/sum=\d+/, 'sum=1'),
    ],
    [
      'another SHA-256 of the leaves',
      'liabilities',
      /^epoch 3: the SHA-256 of leaves.bin is not/,
      inEnd(/(root=\S+ sha256=)..../, '$10123'),
    ],
    [
      'a tree that is no power of two',
      'epochs',
      /a tree of 31 leaves is not a power of two/,
      inEnd('investors-leaves=32', 'investors-leaves=31'),
    ],
  ]
  test.each(lies)('names %s (%s)', async (...[name, check, says, lie]) => {
    const drafts = honestBooks.drafts.map(draft => ({ ...draft, transactions: [...draft.transactions] }))
    lie(drafts)
    await expectNamed(publish({ drafts }, key), [name, check, says])
  })
})

describe('acts that the rules of the books forbid', () => {
  const usd = (event: string, debit: string, credit: string, amount: bigint): Deed => {
    return { event, investor: 0, postings: [{ debit, credit, commodity: 'USD', amount }] }
  }
  const available = 'Liabilities:Investors:Available'
  const returns = 'Liabilities:Recorded-Returns'
  const lies: readonly (readonly [...Lie, Deed])[] = [
    [
      "investors' money as returns",
      'journal',
      /return.recorded may not move money from Liabilities:Investors:Available to Liabilities:Recorded-Returns/,
      usd('return.recorded', available, returns, 100n),
    ],
    [
      'deposits as returns',
      'journal',
      /return.recorded may not move money from Equity:Exchange/,
      usd('return.recorded', 'Equity:Exchange', returns, 100n),
    ],
    [
      "earnings from other investors' money",
      'journal',
      /earning.paid may not move money from Equity:Exchange/,
      usd('earning.paid', 'Equity:Exchange', available, 100n),
    ],
    [
      'more earnings than returns',
      'journal',
      /Recorded-Returns falls below zero, to -/,
      deeds.earned(0, 10_000_000n),
    ],
    ['more paid out than held', 'journal', /Investors:Held falls below zero/, deeds.paid(0, 10_000_000n)],
    [
      'more held than was available',
      'journal',
      /Investors:Available falls below zero/,
      deeds.requested(0, 10_000_000_000n),
    ],
    [
      'a deposit taken from the investor',
      'journal',
      /deposit.settled may not move money from Liabilities:Investors:Available to Equity:Exchange/,
      usd('deposit.settled', available, 'Equity:Exchange', 100n),
    ],
  ]
  test.each(lies)('names %s (%s)', async (...[name, check, says, deed]) => {
    const days = firmsDays(3)
    days[1]!.deeds.push(deed)
    await expectNamed(publish(write(days), key), [name, check, says])
  })

  test('names the days on which no epoch ended', async () => {
    const days = firmsDays(6)
    days.splice(2, 2)
    const lie = [
      'the days on which no epoch ended',
      'epochs',
      /^epoch 3: no epoch ended on 2026-10-03, 2026-10-04/,
    ] as const
    await expectNamed(publish(write(days), key), lie)
  })

  test('names centuries without an epoch, and what is wrong besides', async () => {
    const days = firmsDays(3)
    days[0]!.date = '1600-01-01'
    days[1]!.deeds.push(deeds.earned(0, 10_000_000n))
    const files = publish(write(days), key)
    const lie = [
      'centuries without an epoch',
      'epochs',
      /^epoch 2: no epoch ended on 155,867 days, 1600-01-02 to 2026-10-01/,
    ] as const
    await expectNamed(files, lie)
    const { failures, audit } = await visitOnce(files)
    expect(failures.map(({ check }) => check)).toContain('journal')
    expect(audit.log!.missingDays).toHaveLength(10_000)
  })

  test('names an epoch that has not ended', async () => {
    const lie = [
      'an epoch that has not ended',
      'epochs',
      /^epoch 25 ends on 2026-10-25, and today is 2026-10-21/,
    ]
    await expectNamed(publish(write(firmsDays(25)), key), lie as unknown as Lie)
  })

  test('a signed size without an end is read until a file is missing', async () => {
    const checkpoint = checkpointOf(key, Number.MAX_SAFE_INTEGER, sha256('endless'))
    const { exitCode, report } = await visitOnce(new Map(honestFiles).set('checkpoint', checkpoint))
    expect(exitCode).toBe(2)
    expect(report).toContain('tile/entries/002 is missing')
  })

  test('a check that breaks loses nothing that was found before', async () => {
    const files = new Map(honestFiles)
    of('epochs/7/leaves.bin', flip(32))(files)
    const seen = [{ name: 'a size and root', size: 1, root: null as unknown as Uint8Array }]
    const { failures, audit, exitCode } = await visitOnce(files, { seen })
    expect(exitCode).toBe(1)
    expect(failures).toMatchObject([{ check: 'liabilities' }])
    expect(audit.findings.missing).toEqual([
      {
        check: 'seen',
        message: expect.stringMatching(
          /^the sizes and roots that you were shown could not be checked here: /,
        ),
      },
    ])
  })
})

type Change = (bytes: Buffer) => Buffer

function of(path: string, change: Change) {
  return (files: Files) => {
    const bytes = files.get(path)
    if (bytes === undefined) throw new Error(`the firm publishes no ${path}`)
    files.set(path, change(Buffer.from(bytes)))
  }
}

function at(path: string, content: () => Buffer) {
  return of(path, content)
}

function flip(place: number): Change {
  return bytes => {
    bytes[place]! ^= 1
    return bytes
  }
}

/** Another digit of base64 some characters after a text. */
function nextByte(text: string, after: number): Change {
  return bytes => {
    const place = bytes.indexOf(text) + after
    bytes[place] = bytes[place] === 0x41 ? 0x42 : 0x41
    return bytes
  }
}

function replace(text: string, other: string): Change {
  return bytes => Buffer.from(bytes.toString('latin1').replace(text, other), 'latin1')
}

function swapText(text: string, other: string, nth: number): Change {
  return bytes => {
    let place = -1
    for (let count = 0; count < nth; count += 1) place = bytes.indexOf(text, place + 1)
    bytes.write(other, place)
    return bytes
  }
}

/** The last line's signature with one bit changed. */
function forge(note: Buffer): Buffer {
  const text = note.toString()
  const line = text.lastIndexOf(' ') + 1
  const signature = Buffer.from(text.slice(line), 'base64')
  signature[40]! ^= 1
  return Buffer.from(`${text.slice(0, line)}${signature.toString('base64')}\n`)
}

function leavesIn(bytes: Buffer): string[] {
  const leaves = []
  for (let place = 0; place < bytes.length; ) {
    const end = place + 2 + bytes.readUInt16BE(place)
    leaves.push(bytes.toString('utf8', place + 2, end))
    place = end
  }
  return leaves
}

function leavesOf(name: string, change: (leaves: string[]) => unknown) {
  return of(`tile/entries/${name}`, bytes => {
    const leaves = leavesIn(bytes)
    change(leaves)
    return bundle(leaves)
  })
}

function leafAndHash(files: Files): void {
  leavesOf('000', leaves => (leaves[9] = leaves[8]!))(files)
  of('tile/0/000', bytes => {
    bytes.copy(bytes, 9 * 32, 8 * 32, 9 * 32)
    return bytes
  })(files)
}

function moveCent(tree: Buffer): Buffer {
  setValue(tree, 0, tree.readBigUInt64LE(32) + 1n)
  setValue(tree, 1, tree.readBigUInt64LE(72) - 1n)
  return tree
}

function setValue(tree: Buffer, leaf: number, value: bigint): void {
  tree.writeBigUInt64LE(value, leaf * 40 + 32)
}

/** Changes a leaf of epoch 3 that has coins and dollars. */
function inLeaf(text: string | RegExp, other: string, nth = 1) {
  return (drafts: Draft[]) => {
    const { transactions } = drafts[2]!
    transactions[nth] = changed(transactions[nth]!, text, other)
  }
}

function inEnd(text: string | RegExp, other: string) {
  return (drafts: Draft[]) => {
    drafts[2]!.end = changed(drafts[2]!.end, text, other)
  }
}

function changed(leaf: string, text: string | RegExp, other: string): string {
  const after = leaf.replace(text, other)
  if (after === leaf) throw new Error(`there is no ${text} in ${leaf}`)
  return after
}

function copyTag(drafts: Draft[]): void {
  const { transactions } = drafts[2]!
  const [tag = ''] = /leg:\S+/.exec(transactions[1]!) ?? []
  transactions[2] = changed(transactions[2]!, /leg:\S+/, tag)
}

/** Another tree in epoch 3, whose end states what it gives. */
function withTree(change: (tree: Buffer) => unknown) {
  return (drafts: Draft[]) => {
    const draft = drafts[2]!
    draft.tree = Buffer.from(draft.tree)
    change(draft.tree)
    draft.end = changed(draft.end, /; pol: .*\n/, treeLine(draft.tree))
  }
}

/** A value that, as a signed number, is negative: the others add up to more than is stated. */
function negativeValue(drafts: Draft[]): void {
  const draft = drafts[2]!
  const stated = draft.end
  const tree = Buffer.from(draft.tree)
  setValue(tree, 0, 2n ** 64n - 5n)
  draft.tree = tree
  draft.end = changed(stated, /sha256=\S+(?=\n; evidence)/, `sha256=${sha256(tree).toString('hex')}`)
}
