import type { Services } from '#server/context.ts'
import { mostListedEpochs, type ProofOverview } from '#shared/contract/proof.ts'
import { usdToJson } from '#shared/money.ts'
import { publicProofKey } from './keys.ts'
import { dayOf } from './log.ts'
import { vkeyOf } from './note.ts'
import { newestStamp } from './stamps.ts'

type EpochRow = { number: bigint; ended_at: Date; transactions: bigint; liabilities: bigint }
type LatestRow = {
  number: bigint
  size: bigint
  root: Buffer
  closed_at: Date
  tree_leaves: bigint
  checkpoint: string
  first_closed_at: Date
}

/** What is published about the books so far. */
export async function overviewOf({ pool, config }: Services): Promise<ProofOverview> {
  const { rows } = await pool.query<{ ends: Date | null }>(
    'SELECT epoch_ends AS ends FROM ledger.log_progress',
  )
  const upcoming = { epochHours: config.epochHours, nextEndsAt: rows[0]?.ends?.toISOString() ?? null }
  const { rows: newest } = await pool.query<LatestRow>(
    `SELECT number, size, root, closed_at, tree_leaves, ledger.published_checkpoint(number) AS checkpoint,
            (SELECT closed_at FROM ledger.epochs WHERE number = 1) AS first_closed_at
       FROM ledger.epochs ORDER BY number DESC LIMIT 1`,
  )
  const key = await publicProofKey(pool, 'log')
  const [latest] = newest
  if (latest === undefined || key === undefined) return { ...upcoming, log: null, listed: [] }
  const log = {
    vkey: vkeyOf(key),
    origin: key.name,
    epochs: Number(latest.number),
    // Each epoch ends with a leaf of its own; all others are transactions.
    transactions: Number(latest.size - latest.number),
    size: Number(latest.size),
    root: latest.root.toString('base64'),
    checkpoint: latest.checkpoint,
    signedAt: latest.closed_at.toISOString(),
    firstSignedAt: latest.first_closed_at.toISOString(),
    treeLeaves: Number(latest.tree_leaves),
    stamp: await newestStamp(pool),
  }
  return { ...upcoming, log, listed: await listedEpochs(pool, latest.number) }
}

async function listedEpochs(pool: Services['pool'], newest: bigint): Promise<ProofOverview['listed']> {
  const step = (newest - 2n) / BigInt(mostListedEpochs - 1) + 1n
  const { rows } = await pool.query<EpochRow>(
    `SELECT number, ended_at, size - number AS transactions, liabilities FROM ledger.epochs
      WHERE number = 1 OR number <= $1 AND ($1 - number) % $2 = 0 ORDER BY number`,
    [newest, step],
  )
  return rows.map(({ number, ended_at, transactions, liabilities }) => ({
    epoch: Number(number),
    day: dayEnded(ended_at),
    transactions: Number(transactions),
    owed: usdToJson(liabilities),
  }))
}

/** The UTC day up to whose end the books are published, or null before the first epoch has ended. */
export async function publishedUntil(pool: Services['pool']): Promise<string | null> {
  const { rows } = await pool.query<{ ended_at: Date }>(
    'SELECT ended_at FROM ledger.epochs ORDER BY number DESC LIMIT 1',
  )
  return rows[0] === undefined ? null : dayEnded(rows[0].ended_at)
}

/** An epoch ends at the first moment of the next one. */
function dayEnded(end: Date): string {
  return dayOf(new Date(end.getTime() - 1))
}
