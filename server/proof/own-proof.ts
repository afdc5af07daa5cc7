import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import type { Services } from '#server/context.ts'
import { mostOwnTransactions } from '#shared/contract/proof.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { keyStatements, publicProofKey } from './keys.ts'
import { proofRefusals } from './messages.ts'
import { vkeyOf } from './note.ts'
import { LogHashes } from './paths.ts'
import { pendingReceipts } from './receipts.ts'
import { readSecrets } from './secrets.ts'

const NODE_BYTES = 40
const DIGEST_BYTES = 32
/** Levels between two files of nodes. */
const LEVELS_OF_FILE = 8

type LatestEpoch = { number: bigint; size: bigint; checkpoint: string; tree_leaves: bigint }

/** A leaf of the log with the hashes that prove it, as texts. */
type Included = { leaf: string; index: string; path: string }

/** What the caller has already: a log of `since` leaves, and their lines in one of `from`. */
export type Asked = {
  since: number
  from: number
  /** The log of a first part, whose other parts are asked for. */
  size: number | undefined
}

/**
 * Everything by which an investor checks the latest epoch without us (docs/proof-format.md, A saved proof), or undefined
 * before the first one ends. Transactions come in parts of `mostOwnTransactions`. Only reads.
 * @throws AppError invalid_input for a size at which no epoch ended; secret_erased
 */
export async function ownProof({ pool, config }: Services, userId: string, { since, from, size: of }: Asked) {
  const epoch = await epochOf(pool, of)
  const key = await publicProofKey(pool, 'log')
  if (epoch === undefined || key === undefined) return undefined
  const found = (await readSecrets(pool, config, [userId])).get(userId)
  // Made before the next epoch ends.
  if (found === undefined) return undefined
  const { number, secret } = found
  if (secret === undefined) throw proofRefusals.error({ reason: 'secret_erased' })
  const size = Number(epoch.size)
  const hashes = new LogHashes(pool, size)
  const { email, shares } = await sharesOf(pool, userId, epoch)
  return {
    format: 'probity-proof/v1' as const,
    vkey: vkeyOf(key),
    keys: await keyStatements(pool),
    checkpoint: epoch.checkpoint,
    owner: userId,
    email,
    accountNumber: number.toString(),
    secret: secret.toString('base64'),
    epoch: await lastLeaf(pool, hashes, size),
    ...(await transactionsOf(pool, hashes, userId, { from, size })),
    receipts: await pendingReceipts({ pool, config }, userId, epoch),
    shares,
    consistency: since <= size ? (await hashes.consistency(since)).map(base64) : [],
  }
}

/** The latest epoch, or the one that ended with a log of this size. */
async function epochOf(pool: Pool, size: number | undefined): Promise<LatestEpoch | undefined> {
  const { rows } = await pool.query<LatestEpoch>(
    `SELECT number, size, ledger.published_checkpoint(number) AS checkpoint, tree_leaves FROM ledger.epochs
      WHERE size = coalesce($1::bigint, size) ORDER BY number DESC LIMIT 1`,
    [size ?? null],
  )
  if (size !== undefined && rows[0] === undefined) {
    throw new AppError('invalid_input', t('No epoch ended with a log of this size'))
  }
  return rows[0]
}

async function lastLeaf(pool: Pool, hashes: LogHashes, size: number): Promise<Included> {
  const { rows } = await pool.query<{ leaf: Buffer }>('SELECT leaf FROM ledger.log WHERE index = $1', [
    size - 1,
  ])
  const [path] = await hashes.inclusions([size - 1])
  return included(size - 1, rows[0]!.leaf, path!)
}

function included(index: number, leaf: Buffer, path: Buffer[]): Included {
  return { leaf: leaf.toString(), index: index.toString(), path: path.map(base64).join('\n') }
}

type OwnLine = { index: bigint; line: number; kind: string; version: bigint; amount: bigint; balance: bigint }
type OwnLeaf = { index: bigint; leaf: Buffer; salt: Buffer | null; epoch: bigint }

/** The investor's entries in the published log, by their transactions, in its order; `next`: where the rest begins. */
async function transactionsOf(
  pool: Pool,
  hashes: LogHashes,
  userId: string,
  { from, size }: { from: number; size: number },
) {
  const lines = await linesOf(pool, userId, { from, size })
  const all = [...Map.groupBy(lines, ({ index }) => index)]
  const part = all.slice(0, mostOwnTransactions)
  const leaves = await leavesAt(
    pool,
    part.map(([index]) => index),
  )
  const paths = await hashes.inclusions(leaves.map(({ index }) => Number(index)))
  const transactions = leaves.map(({ index, leaf, salt, epoch }, at) => ({
    ...included(Number(index), leaf, paths[at]!),
    salt: salt === null ? '' : base64(salt),
    epoch: epoch.toString(),
    legs: part[at]![1].map(({ line, kind, version, amount, balance }) => ({
      line: line.toString(),
      kind,
      version: version.toString(),
      amount: amount.toString(),
      balance: balance.toString(),
    })),
  }))
  const [rest] = all[mostOwnTransactions] ?? []
  return { transactions, next: rest === undefined ? null : rest.toString() }
}

/** OFFSET 0: each transaction is looked up by its index, also before the tables have statistics. */
async function linesOf(
  pool: Pool,
  userId: string,
  { from, size }: { from: number; size: number },
): Promise<OwnLine[]> {
  const { rows } = await pool.query<OwnLine>(
    `SELECT l.index, e.line, a.kind, e.version, e.amount, e.new_balance AS balance
       FROM ledger.accounts a
       JOIN ledger.account_kinds k ON k.kind = a.kind AND k.holder = 'investor'
       JOIN ledger.entries e ON e.account_id = a.id AND e.version IS NOT NULL
      CROSS JOIN LATERAL (SELECT index FROM ledger.log WHERE transaction_id = e.transaction_id OFFSET 0) l
      WHERE a.owner = $1 AND l.index >= $2 AND l.index < $3 ORDER BY l.index, e.line`,
    [userId, from, size],
  )
  return rows
}

/** Leaves of the log, opened, with their epochs. @param indices ascending */
async function leavesAt(pool: Pool, indices: readonly bigint[]): Promise<OwnLeaf[]> {
  const { rows } = await pool.query<OwnLeaf>(
    `SELECT l.index, l.leaf, l.salt, ended.number AS epoch
       FROM unnest($1::bigint[]) AS own (index)
      CROSS JOIN LATERAL (SELECT index, coalesce(opened, leaf) AS leaf, salt FROM ledger.log WHERE index = own.index OFFSET 0) l
      CROSS JOIN LATERAL (SELECT number FROM ledger.epochs WHERE size > l.index ORDER BY size LIMIT 1) ended
      ORDER BY l.index`,
    [indices],
  )
  return rows
}

/** The investor's parts in the tree of liabilities, and the address to which they are bound. */
async function sharesOf(pool: Pool, userId: string, { number, tree_leaves }: LatestEpoch) {
  const { rows } = await pool.query<{ email: string; places: bigint[] | null; amounts: bigint[] | null }>(
    `SELECT coalesce(p.email, u.email) AS email, p.places, p.amounts
       FROM app.users u LEFT JOIN ledger.epoch_parts p ON p.owner = u.id AND p.epoch = $2 WHERE u.id = $1`,
    [userId, number],
  )
  const { email, places, amounts } = rows[0]!
  const tree = new TreeNodes(pool, number, Number(tree_leaves))
  const shares = await Promise.all(
    (places ?? []).map(async (place, at) => ({
      index: place.toString(),
      value: amounts![at]!.toString(),
      path: await tree.path(Number(place)),
    })),
  )
  return { email, shares }
}

/** The nodes of an epoch's tree of liabilities, read by blocks of 256. */
class TreeNodes {
  readonly #pool: Pool
  readonly #epoch: bigint
  readonly #leaves: number
  readonly #blocks = new Map<string, Promise<Buffer>>()

  constructor(pool: Pool, epoch: bigint, leaves: number) {
    this.#pool = pool
    this.#epoch = epoch
    this.#leaves = leaves
  }

  /** The siblings on the way from a leaf to the root. */
  async path(place: number): Promise<{ digest: string; value: string }[]> {
    const siblings: Buffer[] = []
    for (let file = 0; this.#leaves / 2 ** (LEVELS_OF_FILE * file) > 1; file++) {
      const count = this.#leaves / 2 ** (LEVELS_OF_FILE * file)
      const at = Math.floor(place / 2 ** (LEVELS_OF_FILE * file))
      let level = await this.#block(file, Math.floor(at / 2 ** LEVELS_OF_FILE), count)
      for (let index = at % 2 ** LEVELS_OF_FILE; level.length > NODE_BYTES; index = Math.floor(index / 2)) {
        const sibling = index % 2 === 0 ? index + 1 : index - 1
        siblings.push(level.subarray(sibling * NODE_BYTES, (sibling + 1) * NODE_BYTES))
        level = parentsOf(level)
      }
    }
    return siblings.map(node => ({
      digest: node.toString('hex', 0, DIGEST_BYTES),
      value: node.readBigUInt64LE(DIGEST_BYTES).toString(),
    }))
  }

  /** At most 256 nodes below one, 8·file levels above the leaves. */
  #block(file: number, block: number, count: number): Promise<Buffer> {
    const key = `${file}/${block}`
    const known = this.#blocks.get(key)
    if (known !== undefined) return known
    const width = Math.min(count, 2 ** LEVELS_OF_FILE)
    const read = this.#pool
      .query<{ nodes: Buffer }>(
        'SELECT substr(content, $3, $4) AS nodes FROM ledger.epoch_files WHERE epoch = $1 AND name = $2',
        [
          this.#epoch,
          file === 0 ? 'leaves.bin' : `nodes/${file}`,
          block * width * NODE_BYTES + 1,
          width * NODE_BYTES,
        ],
      )
      .then(({ rows }) => rows[0]!.nodes)
    this.#blocks.set(key, read)
    return read
  }
}

/** The level above some nodes (docs/proof-format.md). */
function parentsOf(nodes: Buffer): Buffer {
  const parents = Buffer.alloc(nodes.length / 2)
  for (let at = 0; at < parents.length; at += NODE_BYTES) {
    const pair = nodes.subarray(2 * at, 2 * at + 2 * NODE_BYTES)
    hash('sha256', pair, 'buffer').copy(parents, at)
    const sum = pair.readBigUInt64LE(DIGEST_BYTES) + pair.readBigUInt64LE(NODE_BYTES + DIGEST_BYTES)
    parents.writeBigUInt64LE(sum, at + DIGEST_BYTES)
  }
  return parents
}

function base64(hashed: Buffer): string {
  return hashed.toString('base64')
}
