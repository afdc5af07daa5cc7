import type { Services } from '#server/context.ts'
import { mostListedEpochs, mostListedProofs, type ProofOverview } from '#shared/contract/proof.ts'
import { usdToJson } from '#shared/money.ts'
import { newestCosignatures } from './cosignatures.ts'
import { publicProofKeys } from './keys.ts'
import { dayEnded } from './log.ts'
import { vkeyOf } from './note.ts'
import { newestStamp } from './stamps.ts'

type EpochRow = {
  number: bigint
  ended_at: Date
  transactions: bigint
  liabilities: bigint
  proven: bigint | null
}
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
  const upcoming = {
    epochHours: config.epochHours,
    isClosed: config.closedLeaves,
    nextEndsAt: rows[0]?.ends?.toISOString() ?? null,
  }
  const { rows: newest } = await pool.query<LatestRow>(
    `SELECT number, size, root, closed_at, tree_leaves, ledger.published_checkpoint(number) AS checkpoint,
            (SELECT closed_at FROM ledger.epochs WHERE number = 1) AS first_closed_at
       FROM ledger.epochs ORDER BY number DESC LIMIT 1`,
  )
  const keys = await publicProofKeys(pool, 'log')
  const key = keys.at(-1)
  const [latest] = newest
  if (latest === undefined || key === undefined)
    return { ...upcoming, log: null, proven: null, stated: null, listed: [] }
  const log = {
    vkey: vkeyOf(key),
    origin: key.name,
    replacedKeys: keys.length - 1,
    epochs: Number(latest.number),
    // Each epoch ends with a leaf of its own; all others are transactions.
    transactions: Number(latest.size - latest.number),
    size: Number(latest.size),
    root: latest.root.toString('base64'),
    checkpoint: latest.checkpoint,
    signedAt: latest.closed_at.toISOString(),
    firstSignedAt: latest.first_closed_at.toISOString(),
    treeLeaves: Number(latest.tree_leaves),
    closedSince: await closedSince(pool),
    stamp: await newestStamp(pool, config.timeAuthority),
    cosigners: await newestCosignatures(pool, config.auditor),
  }
  const [proven, stated] = await Promise.all([provenCoins(pool), statedAssets(pool)])
  return { ...upcoming, log, proven, stated, listed: await listedEpochs(pool, latest.number) }
}

/** The first epoch with a closed leaf, and the UTC day that it ended. */
async function closedSince(pool: Services['pool']) {
  const { rows } = await pool.query<{ number: bigint; ended_at: Date }>(
    `SELECT number, ended_at FROM ledger.epochs
      WHERE size > (SELECT min(index) FROM ledger.log WHERE salt IS NOT NULL) ORDER BY size LIMIT 1`,
  )
  const [row] = rows
  return row === undefined ? null : { epoch: Number(row.number), day: dayEnded(row.ended_at) }
}

async function listedEpochs(pool: Services['pool'], newest: bigint): Promise<ProofOverview['listed']> {
  const step = (newest - 2n) / BigInt(mostListedEpochs - 1) + 1n
  const { rows } = await pool.query<EpochRow>(
    `SELECT number, ended_at, size - number AS transactions, liabilities,
            (SELECT cents FROM app.reserve_proofs WHERE sealed_epoch = number) AS proven
       FROM ledger.epochs
      WHERE number <= $1
        AND (number = 1 OR ($1 - number) % $2 = 0 OR number IN
              (SELECT sealed_epoch FROM app.reserve_proofs WHERE sealed_epoch IS NOT NULL
                ORDER BY sealed_epoch DESC LIMIT $3))
      ORDER BY number`,
    [newest, step, mostListedProofs],
  )
  return rows.map(({ number, ended_at, transactions, liabilities, proven }) => ({
    epoch: Number(number),
    day: dayEnded(ended_at),
    transactions: Number(transactions),
    owed: usdToJson(liabilities),
    proven: proven === null ? null : usdToJson(proven),
  }))
}

async function provenCoins(pool: Services['pool']): Promise<ProofOverview['proven']> {
  const { rows } = await pool.query<{
    epoch: bigint
    ended_at: Date
    cents: bigint
    addresses: number
    isTest: boolean
  }>(
    `SELECT e.number AS epoch, e.ended_at, p.cents, convert_from(p.reserves, 'UTF8') ~ '(?n)^[A-Z]+,[A-Z]+ test,' AS "isTest",
            (SELECT count(DISTINCT s.address)::integer FROM app.reserve_signatures s JOIN app.reserve_holdings h USING (proof, address)
              WHERE s.proof = p.id AND NOT h.is_contract) AS addresses
       FROM app.reserve_proofs p JOIN ledger.epochs e ON e.number = p.sealed_epoch ORDER BY e.number DESC LIMIT 1`,
  )
  const [row] = rows
  if (row === undefined) return null
  const { epoch, ended_at, cents, ...rest } = row
  return { ...rest, epoch: Number(epoch), day: dayEnded(ended_at), value: usdToJson(cents) }
}

/** The list that was sealed last; what was confirmed or taken off since is not in it yet. */
async function statedAssets(pool: Services['pool']): Promise<ProofOverview['stated']> {
  const { rows } = await pool.query<{ epoch: bigint; ended_at: Date; cents: bigint; documents: number }>(
    `SELECT e.number AS epoch, e.ended_at, coalesce(sum(d.amount_cents), 0)::bigint AS cents, count(d.id)::integer AS documents
       FROM (SELECT epoch, content FROM ledger.epoch_files WHERE name = 'assets.csv' ORDER BY epoch DESC LIMIT 1) f
       JOIN ledger.epochs e ON e.number = f.epoch
       LEFT JOIN app.reserve_documents d ON d.confirmed_at <= e.closed_at AND position(encode(d.sha256, 'hex') IN convert_from(f.content, 'UTF8')) > 0
                                        AND (d.withdrawn_at IS NULL OR d.withdrawn_at > e.closed_at)
      GROUP BY e.number, e.ended_at`,
  )
  const [row] = rows
  if (row === undefined) return null
  const { epoch, ended_at, cents, documents } = row
  return { epoch: Number(epoch), day: dayEnded(ended_at), value: usdToJson(cents), documents }
}

/** The UTC day up to whose end the books are published, or null before the first epoch has ended. */
export async function publishedUntil(pool: Services['pool']): Promise<string | null> {
  const { rows } = await pool.query<{ ended_at: Date }>(
    'SELECT ended_at FROM ledger.epochs ORDER BY number DESC LIMIT 1',
  )
  return rows[0] === undefined ? null : dayEnded(rows[0].ended_at)
}
