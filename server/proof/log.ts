import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import { append, emptyLog, type Log } from '#server/ledger/merkle.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import {
  investorKinds,
  isInvestors,
  type LoggedEntry,
  type LoggedTransaction,
  transactionLeaf,
} from './leaf.ts'
import { secretsOf } from './secrets.ts'
import { type HmacKey, legKey } from './tags.ts'

/** Hashes in a full tile (C2SP tlog-tiles). */
export const TILE_WIDTH = 256

/** Nobody can guess a closed transaction, however few are possible. */
const SALT_BYTES = 32

/** How far the public log is: the row of `ledger.log_progress`. */
export type LogProgress = {
  size: bigint
  seal: bigint
  of_next_seal: bigint
  moment: Date | null
  epoch_ends: Date | null
  epoch_from: bigint
  totals: Record<string, string>
}

export async function logProgress(client: PoolClient): Promise<LogProgress> {
  const { rows } = await client.query<LogProgress>('SELECT * FROM ledger.log_progress')
  return rows[0]!
}

/** The log as far as appending needs it, at any size. */
export async function logAt(client: PoolClient, size: number): Promise<Log> {
  const subtrees: Buffer[] = []
  for (let level = levelsOf(size) - 1; level >= 0; level--) {
    const to = Math.floor(size / TILE_WIDTH ** level)
    const from = to - (to % TILE_WIDTH)
    if (from === to) continue
    const { rows } = await client.query<{ hashes: Buffer }>(
      'SELECT ledger.log_hashes($1, $2, $3) AS hashes',
      [level, from, to],
    )
    subtrees.push(...append(emptyLog, rows[0]!.hashes).subtrees)
  }
  return { size, subtrees }
}

/** Levels of tiles that a log of this size has. */
export function levelsOf(size: number): number {
  let levels = 1
  for (let rest = Math.floor(size / TILE_WIDTH); rest > 0; rest = Math.floor(rest / TILE_WIDTH)) levels++
  return levels
}

/** Sealed transactions that are not in the log yet, in its order: that of their seals. */
export type NextTransactions = {
  transactions: LoggedTransaction[]
  seal: bigint
  /** Of the seal's transactions: how many are before these, and how many there are. */
  from: bigint
  count: bigint
}

export async function nextTransactions(
  client: PoolClient,
  { seal, of_next_seal }: Pick<LogProgress, 'seal' | 'of_next_seal'>,
  most: number,
): Promise<NextTransactions | undefined> {
  const { rows: batches } = await client.query<{ number: bigint; count: bigint }>(
    `SELECT number, cardinality(transactions)::bigint AS count
       FROM ledger.seals JOIN ledger.seal_batches USING (number)
      WHERE number > $1 AND cardinality(transactions) > 0 ORDER BY number LIMIT 1`,
    [seal],
  )
  const batch = batches[0]
  if (batch === undefined) return undefined
  const { rows } = await client.query<NextEntry>({
    text: `
      SELECT t.id, t.event, (extract(epoch FROM t.created_at) * 1000)::bigint AS moment,
             e.account_id AS account, a.owner, a.kind, a.asset, e.amount, e.version, e.new_balance AS balance
        FROM unnest((SELECT transactions[$2::bigint + 1 : $2::bigint + $3]
                       FROM ledger.seal_batches WHERE number = $1)) WITH ORDINALITY AS next (id, place)
        JOIN ledger.transactions t ON t.id = next.id
        JOIN ledger.entries e ON e.transaction_id = next.id
        JOIN ledger.accounts a ON a.id = e.account_id
       ORDER BY next.place, e.line`,
    values: [batch.number, of_next_seal, most],
    types: asTexts,
  })
  const transactions: LoggedTransaction[] = []
  for (const { id, event, moment, ...entry } of rows) {
    const last = transactions.at(-1)
    if (last?.id === id) last.entries.push(entry)
    else transactions.push({ id, event, moment: Number(moment), entries: [entry] })
  }
  return { transactions, seal: batch.number, from: of_next_seal, count: batch.count }
}

type NextEntry = LoggedEntry & Pick<LoggedTransaction, 'id' | 'event'> & { moment: string }

/** Values as PostgreSQL's texts: a busy day has millions of them, and leaves are texts. */
const asTexts = { getTypeParser: () => (value: string) => value }

/**
 * Appends transactions to the log.
 * @param epoch the number of the open epoch, to which they belong
 * @param moments theirs, ascending
 * @param isClosed publishes a salted hash in place of each (decision 130)
 */
export async function appendTransactions(
  client: PoolClient,
  secrets: Secrets,
  progress: LogProgress & { epoch_ends: Date },
  next: NextTransactions,
  { epoch, moments, isClosed }: { epoch: bigint; moments: readonly Date[]; isClosed: boolean },
): Promise<void> {
  const keyOf = await legKeys(client, secrets, next.transactions, epoch)
  const leaves = next.transactions.map((transaction, index) =>
    Buffer.from(transactionLeaf(transaction, dayOf(moments[index]!), keyOf)),
  )
  const newest = newestOf(next.transactions)
  const taken = next.from + BigInt(leaves.length)
  const isWhole = taken === next.count
  await client.query(
    `SELECT ledger.log_transactions(ROW(true, $1::bigint, $2::bigint, $3::bigint, $4::timestamptz, $5::timestamptz,
                                        NULL, $6::jsonb)::ledger.log_progress, $7, $8, $9, $10, $11, $12)`,
    [
      progress.size + BigInt(leaves.length),
      isWhole ? next.seal : progress.seal,
      isWhole ? 0n : taken,
      moments.at(-1)!,
      progress.epoch_ends,
      JSON.stringify(withTotals(progress.totals, next.transactions)),
      next.transactions.map(({ id }) => id),
      leaves,
      newest.map(({ account }) => account),
      newest.map(({ version }) => version),
      newest.map(({ balance }) => balance),
      isClosed ? leaves.map(() => randomBytes(SALT_BYTES)) : null,
    ],
  )
}

/** The UTC day of a moment: 2026-11-22. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/** An epoch ends at the first moment of the next one. */
export function dayEnded(end: Date): string {
  return dayOf(new Date(end.getTime() - 1))
}

async function legKeys(
  client: PoolClient,
  secrets: Secrets,
  transactions: readonly LoggedTransaction[],
  epoch: bigint,
): Promise<(owner: string) => HmacKey> {
  const owners = new Set(
    transactions.flatMap(({ entries }) => entries.filter(isInvestors).map(({ owner }) => owner)),
  )
  const keys = new Map<string, HmacKey>()
  for (const [owner, { secret }] of await secretsOf(client, secrets, [...owners])) {
    // Once the secret is erased, tags are noise to everybody.
    keys.set(owner, legKey(secret ?? randomBytes(32), epoch))
  }
  return owner => keys.get(owner)!
}

/** The last entry of each investor's account. */
function newestOf(transactions: readonly LoggedTransaction[]) {
  const newest = new Map<string, LoggedEntry>()
  for (const { entries } of transactions) {
    for (const entry of entries) if (investorKinds.includes(entry.kind)) newest.set(entry.account, entry)
  }
  return [...newest.values()]
}

function withTotals(
  totals: Record<string, string>,
  transactions: readonly LoggedTransaction[],
): Record<string, string> {
  const sums = new Map(Object.entries(totals).map(([key, amount]) => [key, BigInt(amount)]))
  for (const { entries } of transactions) {
    for (const { kind, asset, amount } of entries) {
      const key = `${kind} ${asset}`
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount))
    }
  }
  return Object.fromEntries([...sums].map(([key, amount]) => [key, amount.toString()]))
}
