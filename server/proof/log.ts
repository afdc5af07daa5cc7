import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import { append, emptyLog, type Log } from '#server/ledger/merkle.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import { dayOf } from '#shared/moments.ts'
import { secretsOf } from './secrets.ts'
import { type HmacKey, type Leg, legKey, legTag } from './tags.ts'

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
  /** The lines of the balances over all leaves, as an epoch's end states them. */
  balances: string[]
}

export async function logProgress(client: PoolClient): Promise<LogProgress> {
  const { rows } = await client.query<LogProgress>(
    'SELECT *, ledger.public_balances(totals) AS balances FROM ledger.log_progress',
  )
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

/** A transaction as its tags need it: its moment in milliseconds, its lines of investors in their order. */
export type NextTransaction = { id: string; moment: number; legs: Leg[] }

/** Sealed transactions that are not in the log yet, in its order: that of their seals. */
export async function nextTransactions(
  client: PoolClient,
  { seal, of_next_seal }: Pick<LogProgress, 'seal' | 'of_next_seal'>,
  most: number,
): Promise<NextTransaction[]> {
  const { rows: batches } = await client.query<{ number: bigint }>(
    `SELECT number FROM ledger.seals JOIN ledger.seal_batches USING (number)
      WHERE number > $1 AND cardinality(transactions) > 0 ORDER BY number LIMIT 1`,
    [seal],
  )
  if (batches[0] === undefined) return []
  const { rows } = await client.query<NextLeg>({
    text: `
      SELECT t.id, (extract(epoch FROM date_trunc('milliseconds', t.created_at)) * 1000)::bigint AS moment,
             leg.owner, leg.kind, leg.asset, leg.amount, leg.version, leg.balance
        FROM unnest((SELECT transactions[$2::bigint + 1 : $2::bigint + $3]
                       FROM ledger.seal_batches WHERE number = $1)) WITH ORDINALITY AS next (id, place)
        JOIN ledger.transactions t ON t.id = next.id
        LEFT JOIN (SELECT e.transaction_id, e.line, a.owner, a.kind, a.asset, e.amount, e.version, e.new_balance AS balance
                     FROM ledger.entries e
                     JOIN ledger.accounts a ON a.id = e.account_id AND a.owner <> ledger.firm()) leg ON leg.transaction_id = next.id
       ORDER BY next.place, leg.line`,
    values: [batches[0].number, of_next_seal, most],
    types: asTexts,
  })
  const transactions: NextTransaction[] = []
  for (const { id, moment, ...leg } of rows) {
    if (transactions.at(-1)?.id !== id) transactions.push({ id, moment: Number(moment), legs: [] })
    if (leg.owner !== null) transactions.at(-1)!.legs.push(leg as Leg)
  }
  return transactions
}

/** No owner: a transaction without a line of an investor. */
type NextLeg = { id: string; moment: string } & { [Field in keyof Leg]: string | null }

/** Values as PostgreSQL's texts: a busy day has millions of them, and tags are made of texts. */
const asTexts = { getTypeParser: () => (value: string) => value }

/**
 * Appends the next transactions to the log. The database renders their leaves; only the tags are not there.
 * @param epoch the number of the open epoch, to which they belong
 * @param ends when it ends
 * @param now no leaf is dated later, by a wrong clock of the database
 * @param isClosed publishes a salted hash in place of each (decision 130)
 */
export async function appendTransactions(
  client: PoolClient,
  secrets: Secrets,
  transactions: readonly NextTransaction[],
  { epoch, ends, now, isClosed }: { epoch: bigint; ends: Date; now: Date; isClosed: boolean },
): Promise<void> {
  const keyOf = await legKeys(client, secrets, transactions, epoch)
  const tags = transactions.flatMap(({ legs }) => legs.map(leg => legTag(keyOf(leg.owner), leg)))
  await client.query('SELECT ledger.log_transactions($1, $2, $3, $4, $5)', [
    transactions.length,
    Buffer.concat(tags),
    now,
    ends,
    isClosed ? transactions.map(() => randomBytes(SALT_BYTES)) : null,
  ])
}

/** An epoch ends at the first moment of the next one. */
export function dayEnded(end: Date): string {
  return dayOf(new Date(end.getTime() - 1))
}

async function legKeys(
  client: PoolClient,
  secrets: Secrets,
  transactions: readonly NextTransaction[],
  epoch: bigint,
): Promise<(owner: string) => HmacKey> {
  const owners = new Set(transactions.flatMap(({ legs }) => legs.map(({ owner }) => owner)))
  const keys = new Map<string, HmacKey>()
  for (const [owner, { secret }] of await secretsOf(client, secrets, [...owners])) {
    // Once the secret is erased, tags are noise to everybody.
    keys.set(owner, legKey(secret ?? randomBytes(32), epoch))
  }
  return owner => keys.get(owner)!
}
