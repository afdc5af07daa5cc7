import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/**
 * A firm that never was, and what it publishes: written after docs/proof-format.md with node:crypto alone, so that the
 * verifier is not tested against itself. Tests change what the firm did, what it seals, or the files.
 */

const DECIMALS: Record<string, number> = { USD: 2, BTC: 8, USDT: 6, ETH: 9 }
const KINDS: Record<string, string> = {
  'Liabilities:Investors:Available': 'available',
  'Liabilities:Investors:Held': 'held',
  'Liabilities:Investors:Invested': 'invested',
}
const [AVAILABLE, HELD, INVESTED] = Object.keys(KINDS) as [string, string, string]
const DAY_MS = 86_400_000

export type Posting = { debit: string; credit: string; commodity: string; amount: bigint }
export type Deed = { event: string; investor: number | null; postings: Posting[] }
/** One day with what happened on it. */
export type Day = { date: string; deeds: Deed[] }
export type Leg = { line: number; kind: string; version: bigint; amount: bigint; balance: bigint }
type Account = { version: bigint; balance: bigint }
type OwnLeaf = { leaf: string; epoch: number; date: string; event: string; legs: Leg[] }
export type Investor = {
  owner: string
  email: string
  accountNumber: bigint
  secret: Buffer
  accounts: Map<string, Account>
  leaves: OwnLeaf[]
}
type Share = { investor: number; index: number; value: bigint }
/** An epoch before it is sealed: tests lie here. */
export type Draft = {
  number: number
  date: string
  transactions: string[]
  end: string
  tree: Buffer
  shares: Share[]
  files: Map<string, Buffer>
}
export type Books = { drafts: Draft[]; investors: Investor[] }
export type LogKey = { origin: string; vkey: string; keyId: Buffer; privateKey: KeyObject }
export type Files = Map<string, Buffer>

export const sha256 = (...parts: (Buffer | string)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const hmac = (key: Buffer, ...parts: (Buffer | string)[]) =>
  parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest()

/** The same numbers at each run. */
function chance(seed: string): (below: number) => number {
  let count = 0
  return below => sha256(`${seed} ${count++}`).readUInt32BE() % below
}

const usd = (debit: string, credit: string, amount: bigint): Posting => ({
  debit,
  credit,
  commodity: 'USD',
  amount,
})

export const deeds = {
  deposit(investor: number, cents: bigint, event = 'deposit.settled', commodity = 'BTC'): Deed {
    const coins = (debit: string, credit: string, amount: bigint): Posting => ({
      debit,
      credit,
      commodity,
      amount,
    })
    return {
      event,
      investor,
      postings: [
        coins('Assets:Custody', 'Equity:Exchange', cents * 15n),
        coins('Assets:Custody', 'Equity:Rounding', 4n),
        usd('Equity:Exchange', AVAILABLE, cents),
      ],
    }
  },
  funded(investor: number, cents: bigint): Deed {
    const { postings } = deeds.deposit(investor, cents, 'investment.funded', 'ETH')
    return { event: 'investment.funded', investor, postings: [...postings, usd(AVAILABLE, INVESTED, cents)] }
  },
  moved(event: string, investor: number, from: string, to: string, cents: bigint): Deed {
    return { event, investor, postings: [usd(from, to, cents)] }
  },
  requested: (investor: number, cents: bigint) =>
    deeds.moved('withdrawal.requested', investor, AVAILABLE, HELD, cents),
  paid: (investor: number, cents: bigint) =>
    deeds.moved('withdrawal.paid', investor, HELD, 'Equity:Payouts', cents),
  declined: (investor: number, cents: bigint) =>
    deeds.moved('withdrawal.declined', investor, HELD, AVAILABLE, cents),
  closed: (investor: number, cents: bigint) =>
    deeds.moved('investment.closed', investor, INVESTED, AVAILABLE, cents),
  reversed(investor: number, cents: bigint, owed: bigint): Deed {
    const postings: Posting[] = [
      { debit: 'Equity:Exchange', credit: 'Assets:Custody', commodity: 'USDT', amount: cents * 15n },
      usd(AVAILABLE, 'Equity:Exchange', cents - owed),
      usd('Assets:Receivable', 'Equity:Exchange', owed),
    ]
    return { event: 'deposit.reversed', investor, postings: postings.filter(({ amount }) => amount > 0n) }
  },
  recorded: (cents: bigint): Deed => ({
    event: 'return.recorded',
    investor: null,
    postings: [usd('Assets:Returns-Received', 'Liabilities:Recorded-Returns', cents)],
  }),
  earned: (investor: number, cents: bigint): Deed => ({
    event: 'earning.paid',
    investor,
    postings: [usd('Liabilities:Recorded-Returns', AVAILABLE, cents)],
  }),
}

const FIRST_DAY = Date.UTC(2026, 9, 1)

/** Twenty days of a firm with eight investors: about 500 transactions. */
export function firmsDays(count = 20, deedsEachDay = 24, firstDay = FIRST_DAY): Day[] {
  const random = chance('days')
  const investors = 8
  return Array.from({ length: count }, (_, day) => {
    const date = new Date(firstDay + day * DAY_MS).toISOString().slice(0, 10)
    const done: Deed[] = [deeds.recorded(BigInt(5_000 + random(10_000)))]
    for (let at = 0; done.length < deedsEachDay; at += 1) {
      const investor = (day + at) % investors
      const cents = BigInt(1_000 + random(100_000))
      done.push(deeds.deposit(investor, cents, at % 3 === 2 ? 'deposit.added' : 'deposit.settled'))
      if (at % 2 === 0) done.push(deeds.requested(investor, cents / 2n), deeds.paid(investor, cents / 2n))
      if (at === 1) done.push(deeds.funded(investor, cents), deeds.closed(investor, cents))
      if (at === 2) done.push(deeds.requested(investor, cents / 4n), deeds.declined(investor, cents / 4n))
      if (at === 4) done.push(deeds.requested(investor, 900n), deeds.funded(investor, 1_000n))
      if (at === 3)
        done.push(deeds.deposit(investor, 5_000n, undefined, 'USDT'), deeds.reversed(investor, 5_000n, 700n))
      done.push(deeds.earned(investor, BigInt(1 + random(800))))
    }
    return { date, deeds: done }
  })
}

/** Days of a firm whose newest one is some days before today. */
export function recentDays(count: number, daysAgo = 1): Day[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  return firmsDays(count, 24, today - (count - 1 + daysAgo) * DAY_MS)
}

/** Writes the books of these days: leaves, epochs' ends and trees, as an honest firm would. */
export function write(days: Day[], parts = 32): Books {
  const random = chance('books')
  const investors = Array.from({ length: 8 }, (_, at) => newInvestor(at))
  const balances = new Map<string, bigint>()
  const drafts = days.map(({ date, deeds }, at): Draft => {
    const number = at + 1
    const transactions = deeds.map(deed => writeLeaf(date, number, deed, investors, balances))
    // One tree is so large that its nodes have a file.
    const { tree, shares } = plant(investors, number, number === 20 ? 512 : parts, random)
    const files = new Map([
      ['evidence.txt', Buffer.from(`${sha256(`document ${number}`).toString('hex')}\n`)],
    ])
    if (at % 7 === 6) files.set('assets.csv', assetsOf(number))
    const draft = { number, date, transactions, end: '', tree, shares, files }
    draft.end = endOf(draft, balances)
    return draft
  })
  return { drafts, investors }
}

function newInvestor(at: number): Investor {
  return {
    owner: `019a0000-0000-7000-8000-00000000000${at}`,
    email: `investor${at}@example.com`,
    accountNumber: BigInt(100 + at),
    secret: sha256(`secret ${at}`),
    accounts: new Map(),
    leaves: [],
  }
}

function writeLeaf(
  date: string,
  epoch: number,
  { event, investor: of, postings }: Deed,
  investors: Investor[],
  balances: Map<string, bigint>,
): string {
  const legs: Leg[] = []
  const lines = postings.flatMap(({ debit, credit, commodity, amount }) => [
    { account: debit, commodity, amount },
    { account: credit, commodity, amount: -amount },
  ])
  const investor = investors[of ?? -1]
  const rows = lines.map(({ account, commodity, amount }, at) => {
    add(balances, `${account} ${commodity}`, amount)
    const row = `  ${account}  ${decimal(amount, commodity)} ${commodity}`
    const kind = KINDS[account]
    if (kind === undefined || investor === undefined) return row
    const leg = { line: at + 1, kind, ...moved(investor, kind, -amount) }
    legs.push(leg)
    return `${row}  ; leg:${tagOf(investor, epoch, leg)}`
  })
  const leaf = `${date} * "${event}"\n${rows.join('\n')}\n\n`
  if (investor !== undefined) investor.leaves.push({ leaf, epoch, date, event, legs })
  return leaf
}

function moved({ accounts }: Investor, kind: string, amount: bigint) {
  const { version, balance } = accounts.get(kind) ?? { version: 0n, balance: 0n }
  const after = { version: version + 1n, balance: balance + amount }
  accounts.set(kind, after)
  return { amount, ...after }
}

function tagOf({ secret, owner }: Investor, epoch: number, { kind, version, amount, balance }: Leg): string {
  const key = hmac(secret, `probity-leg-key/v1\n${epoch}\n`)
  return hmac(key, `probity-leg/v1\n${owner}\n${kind}\nUSD\n${version}\n${amount}\n${balance}\n`).toString(
    'base64',
  )
}

function add(balances: Map<string, bigint>, name: string, amount: bigint): void {
  balances.set(name, (balances.get(name) ?? 0n) + amount)
}

export function decimal(amount: bigint, commodity: string): string {
  const decimals = DECIMALS[commodity] ?? 0
  const digits = `${amount < 0n ? -amount : amount}`.padStart(decimals + 1, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** What the firm says to have besides coins. */
function assetsOf(number: number) {
  const hash = sha256(`deed ${number}`).toString('hex')
  return Buffer.from(
    `title,amount USD,as of,sha256,source\n"Office, 2nd floor",${number}000.00,2026-10-01,${hash},Land register\n`,
  )
}

function plant(investors: Investor[], epoch: number, parts: number, random: (below: number) => number) {
  const open = investors.flatMap(({ accounts }, investor) => {
    const value = [...accounts.values()].reduce((sum, { balance }) => sum + balance, 0n)
    return value > 0n ? [{ investor, value }] : []
  })
  while (open.length > 0 && open.length < parts) {
    open.sort((one, other) => Number(other.value - one.value))
    const [largest] = open.splice(0, 1)
    const cut = 1n + BigInt(random(Number(largest!.value) - 1))
    open.push({ ...largest!, value: cut }, { ...largest!, value: largest!.value - cut })
  }
  const shares = open
    .map(share => ({ share, at: random(2 ** 31) }))
    .sort((one, other) => one.at - other.at)
    .map(({ share }, index): Share => ({ ...share, index }))
  const leaves = shares.map(share => treeLeaf(investors[share.investor]!, epoch, share))
  return { tree: Buffer.concat(leaves), shares }
}

function u64le(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

function treeLeaf(
  { secret, email, accountNumber }: Investor,
  epoch: number,
  { index, value }: Share,
): Buffer {
  const account = hmac(secret, `probity-pol-id/v1\n${email}\n`)
  const sub = sha256(account, u64le(BigInt(epoch)), u64le(accountNumber))
  return Buffer.concat([hmac(sub, u64le(value), u64le(BigInt(index))), u64le(value)])
}

/** All rows of a tree, from its leaves to its root. */
export function rowsOf(tree: Buffer): Buffer[] {
  const rows = [tree]
  while (rows.at(-1)!.length > 40) {
    const row = rows.at(-1)!
    const above = []
    for (let at = 0; at < row.length; at += 80) {
      const value = BigInt.asUintN(64, row.readBigUInt64LE(at + 32) + row.readBigUInt64LE(at + 72))
      above.push(sha256(row.subarray(at, at + 80)), u64le(value))
    }
    rows.push(Buffer.concat(above))
  }
  return rows
}

/** The line of an epoch's end about its tree. */
export function treeLine(tree: Buffer): string {
  if (tree.length === 0) return ''
  const root = rowsOf(tree).at(-1)!
  const sum = root.readBigUInt64LE(32)
  const hex = root.subarray(0, 32).toString('hex')
  return `; pol: porl-1 investors-leaves=${tree.length / 40} sum=${sum} root=${hex} sha256=${sha256(tree).toString('hex')}\n`
}

function endOf({ number, date, transactions, tree, files }: Draft, balances: Map<string, bigint>): string {
  const asserts = [...balances]
    .filter(([, amount]) => amount !== 0n)
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map(([name, amount]) => {
      const [account = '', commodity = ''] = name.split(' ')
      return `; assert: ${account} ${decimal(amount, commodity)} ${commodity}\n`
    })
  const document = (line: string, name: string) =>
    files.has(name) ? `; ${line}: sha256=${sha256(files.get(name)!).toString('hex')}\n` : ''
  return `${[
    `; probity-epoch/v1\n; epoch: ${number}\n; date: ${date}\n; leaves: ${transactions.length}\n`,
    ...asserts,
    treeLine(tree),
    document('reserves', 'reserves.csv'),
    document('reserves-prices', 'reserves-prices.csv'),
    document('assets', 'assets.csv'),
    document('evidence', 'evidence.txt'),
    `; verifier: sha256=${'00'.repeat(32)}\n`,
    `; receipts: ${receiptsKey.vkey}\n`,
  ].join('')}\n`
}

export function newKey(origin = 'firm.example/proof'): LogKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { origin, privateKey, ...vkeyOf(origin, 1, publicKey) }
}

/** Signs receipts, and nothing else. */
export const receiptsKey = newKey('firm.example/proof/receipts')

export function vkeyOf(name: string, type: number, publicKey: KeyObject) {
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const typed = Buffer.concat([Buffer.from([type]), raw])
  const keyId = sha256(`${name}\n`, typed).subarray(0, 4)
  return { keyId, vkey: `${name}+${keyId.toString('hex')}+${typed.toString('base64')}` }
}

/** A checkpoint, signed. */
export function checkpointOf({ origin, keyId, privateKey }: LogKey, size: number, root: Buffer): Buffer {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString('base64')
  return Buffer.from(`${text}\n— ${origin} ${signature}\n`)
}

const leafHash = (leaf: string) => sha256(Buffer.from([0]), leaf)
const nodeHash = (left: Buffer, right: Buffer) => sha256(Buffer.from([1]), left, right)

/** RFC 6962, 2.1. */
export function treeHash(hashes: Buffer[]): Buffer {
  if (hashes.length <= 1) return hashes[0] ?? sha256()
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1)
  return nodeHash(treeHash(hashes.slice(0, split)), treeHash(hashes.slice(split)))
}

export function pathOf(index: number, hashes: Buffer[]): Buffer[] {
  if (hashes.length <= 1) return []
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1)
  return index < split
    ? [...pathOf(index, hashes.slice(0, split)), treeHash(hashes.slice(split))]
    : [...pathOf(index - split, hashes.slice(split)), treeHash(hashes.slice(0, split))]
}

function tileName(n: number): string {
  const groups = []
  for (let left = n; groups.length === 0 || left > 0; left = Math.floor(left / 1000))
    groups.unshift(`${groups.length > 0 ? 'x' : ''}${String(left % 1000).padStart(3, '0')}`)
  return groups.join('/')
}

/** Seals the drafts as they are, and publishes them. */
export function publish({ drafts }: Pick<Books, 'drafts'>, key: LogKey): Files {
  const files: Files = new Map([
    ['vkey', Buffer.from(`${key.vkey}\n`)],
    ['receipts-vkey', Buffer.from(`${receiptsKey.vkey}\n`)],
  ])
  const leaves = drafts.flatMap(({ transactions, end }) => [...transactions, end])
  const hashes = leaves.map(leafHash)
  let size = 0
  for (const { number, transactions, tree, files: own } of drafts) {
    size += transactions.length + 1
    const folder = `epochs/${number}`
    files.set(`${folder}/checkpoint`, checkpointOf(key, size, treeHash(hashes.slice(0, size))))
    for (const [name, content] of own) files.set(`${folder}/${name}`, content)
    if (tree.length === 0) continue
    files.set(`${folder}/leaves.bin`, tree)
    const rows = rowsOf(tree)
    for (let level = 8; (rows[level]?.length ?? 0) > 40; level += 8)
      files.set(`${folder}/nodes/${level / 8}`, rows[level]!)
  }
  files.set('checkpoint', checkpointOf(key, size, treeHash(hashes)))
  return new Map([...files, ...tilesOfLeaves(leaves)])
}

export function tilesOfLeaves(leaves: string[]): Files {
  const files: Files = new Map()
  let row: Buffer[] = leaves.map(leafHash)
  for (let level = 0; row.length > 0; level += 1) {
    const above = []
    for (let n = 0; n * 256 < row.length; n += 1) {
      const tile = row.slice(n * 256, n * 256 + 256)
      const name = `${tileName(n)}${tile.length < 256 ? `.p/${tile.length}` : ''}`
      files.set(`tile/${level}/${name}`, Buffer.concat(tile))
      if (level === 0) files.set(`tile/entries/${name}`, bundle(leaves.slice(n * 256, n * 256 + 256)))
      if (tile.length === 256) above.push(treeHash(tile))
    }
    row = above
  }
  return files
}

export function bundle(leaves: string[]): Buffer {
  return Buffer.concat(
    leaves.flatMap(leaf => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(Buffer.byteLength(leaf))
      return [length, Buffer.from(leaf)]
    }),
  )
}

/** The proof that one investor saves at the end of the books. */
export function savedProof({ drafts, investors }: Books, at: number, files: Files, key: LogKey) {
  const leaves = drafts.flatMap(({ transactions, end }) => [...transactions, end])
  const hashes = leaves.map(leafHash)
  const places = new Map(leaves.map((leaf, index) => [leaf, index]))
  const { owner, email, accountNumber, secret, leaves: own } = investors[at]!
  const included = (leaf: string) => {
    const index = places.get(leaf)!
    const path = pathOf(index, hashes).map(hash => hash.toString('base64'))
    return { index: String(index), leaf, path: path.join('\n') }
  }
  const last = drafts.at(-1)!
  const rows = rowsOf(last.tree)
  const node = (level: number, index: number) => ({
    digest: rows[level]!.subarray(index * 40, index * 40 + 32).toString('hex'),
    value: String(rows[level]!.readBigUInt64LE(index * 40 + 32)),
  })
  return {
    format: 'probity-proof/v1',
    vkey: key.vkey,
    checkpoint: files.get('checkpoint')!.toString(),
    owner,
    email,
    accountNumber: String(accountNumber),
    secret: secret.toString('base64'),
    epoch: included(last.end),
    transactions: own.map(({ leaf, epoch, legs }) => ({
      ...included(leaf),
      epoch: String(epoch),
      legs: legs.map(leg =>
        Object.fromEntries(Object.entries(leg).map(([name, value]) => [name, String(value)])),
      ),
    })),
    shares: last.shares
      .filter(({ investor }) => investor === at)
      .map(({ index, value }) => ({
        index: String(index),
        value: String(value),
        path: rows.slice(0, -1).map((_, level) => node(level, Math.floor(index / 2 ** level) ^ 1)),
      })),
  }
}
