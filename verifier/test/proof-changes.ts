import { checkpointOf, firmsDays, newKey, publish, savedProof, sha256, write } from './made-up-firm.ts'

/** One investor's proof, and every kind of change to it. */

export const key = newKey()
export const books = write(firmsDays(6), 512)
export const files = publish(books, key)
export type Proof = ReturnType<typeof savedProof>
export const proofOf = (investor: number): Proof => savedProof(books, investor, files, key)

const other = (text: string) => `${text.startsWith('0') ? '1' : '0'}${text.slice(1)}`
const plusOne = (text: string) => String(BigInt(text) + 1n)
const firstLeg = (proof: Proof) => proof.transactions[0]!.legs[0]!

/** The kind, what names it, and how it is made. */
export const changes: readonly (readonly [string, RegExp, (proof: Proof) => unknown])[] = [
  ['a transaction left out', /entry \d+ of \w+ is missing/, proof => proof.transactions.splice(2, 1)],
  [
    'the newest transaction left out',
    /the published total has .* of this investor, the journal/,
    proof => proof.transactions.pop(),
  ],
  [
    'two transactions swapped',
    /entry 1 of available is missing/,
    proof => proof.transactions.unshift(proof.transactions.splice(1, 1)[0]!),
  ],
  [
    'a transaction that appears again',
    /is not in the order of the log/,
    proof => proof.transactions.push({ ...proof.transactions.at(-1)!, legs: [] }),
  ],
  [
    'an amount',
    /does not follow from the one before/,
    proof => (firstLeg(proof).amount = plusOne(firstLeg(proof).amount!)),
  ],
  [
    'an amount and its balance',
    /line \d of leaf \d+ is not entry 1 of available/,
    proof => Object.assign(firstLeg(proof), { amount: '1', balance: '1' }),
  ],
  ['another line', /line 1 of leaf \d+ is not entry 1 of available/, proof => (firstLeg(proof).line = '1')],
  ['another kind', /entry 1 of held|is not entry 1 of held/, proof => (firstLeg(proof).kind = 'held')],
  [
    'a kind of account that no investor has',
    /an investor has no constructor account/,
    proof => (firstLeg(proof).kind = 'constructor'),
  ],
  ['a version', /entry 1 of available is missing/, proof => (firstLeg(proof).version = '2')],
  [
    "the transaction's epoch",
    /the tag of line \d of leaf \d+ is not the one of this investor/,
    proof => (proof.transactions[0]!.epoch = '9'),
  ],
  [
    'a tag in a leaf',
    /leaf \d+ is not in the log/,
    proof => (proof.transactions[0]!.leaf = proof.transactions[0]!.leaf.replace(/leg:./, 'leg:0')),
  ],
  [
    "another investor's transactions",
    /the tag of line/,
    proof => (proof.transactions = proofOf(1).transactions),
  ],
  [
    "another investor's parts",
    /is not in the tree of liabilities/,
    proof => (proof.shares = proofOf(1).shares),
  ],
  ['another secret', /the tag of line/, proof => (proof.secret = sha256('x').toString('base64'))],
  ['another owner', /the tag of line/, proof => (proof.owner = books.investors[1]!.owner)],
  ['another address', /leaf \d+ is not in the tree/, proof => (proof.email = 'somebody@example.com')],
  ['another account number', /leaf \d+ is not in the tree/, proof => (proof.accountNumber = '1')],
  [
    'a part left out',
    /the published total has .* of this investor, the journal/,
    proof => proof.shares.pop(),
  ],
  ['a part twice', /leaf \d+ of the tree is counted twice/, proof => proof.shares.push(proof.shares[0]!)],
  [
    'the value of a part',
    /adds up to \d+ cents, the tree states/,
    proof => (proof.shares[0]!.value = plusOne(proof.shares[0]!.value)),
  ],
  [
    'the place of a part',
    /is not in the tree/,
    proof => (proof.shares[0]!.index = String(Number(proof.shares[0]!.index) ^ 1)),
  ],
  [
    'a place that the tree does not have',
    /a tree of 512 leaves has no leaf 512/,
    proof => (proof.shares[0]!.index = '512'),
  ],
  [
    'a sibling',
    /is not in the tree/,
    proof => (proof.shares[0]!.path[3]!.digest = other(proof.shares[0]!.path[3]!.digest)),
  ],
  ["a sibling's value", /adds up to \d+ cents/, proof => (proof.shares[0]!.path[3]!.value = '1')],
  [
    "a sibling's value below zero",
    /below 1 cent or above the sum/,
    proof => (proof.shares[0]!.path[3]!.value = '-5'),
  ],
  ['a step left out', /has 8 steps, a tree of 512 leaves has 9/, proof => proof.shares[0]!.path.pop()],
  [
    "a total in the epoch's end",
    /leaf \d+ is not in the log/,
    proof => (proof.epoch.leaf = proof.epoch.leaf.replace('sum=', 'sum=9')),
  ],
  [
    'the path of the epoch',
    /leaf \d+ is not in the log/,
    proof => (proof.epoch.path = proof.transactions[0]!.path),
  ],
  [
    "a transaction in place of the epoch's end",
    /the last leaf of the checkpoint is not the end of an epoch/,
    proof => (proof.epoch = proof.transactions[0]!),
  ],
  [
    'the checkpoint',
    /is forged/,
    proof => (proof.checkpoint = proof.checkpoint.replace('\n156\n', '\n157\n')),
  ],
  [
    "another key's checkpoint",
    /has no signature of the key/,
    proof => (proof.checkpoint = checkpointOf(newKey(), 156, sha256()).toString()),
  ],
  [
    'another history',
    /leaf \d+ is not in the log/,
    proof => (proof.checkpoint = checkpointOf(key, 156, sha256('x')).toString()),
  ],
  ['the format', /not a saved proof/, proof => (proof.format = 'probity-proof/v9')],
]
