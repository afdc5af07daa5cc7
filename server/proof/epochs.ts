import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { Bucket } from '#server/config/bucket.ts'
import { append, rootOf, sha256 } from '#server/ledger/merkle.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import type { Clock } from '#server/platform/clock.ts'
import { directOf } from '#server/platform/database/direct.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import { dayOf } from '#shared/moments.ts'
import { newestOwnCheckpoint } from './check-checkpoints.ts'
import { requireLeavesAsSet } from './check-closed-leaves.ts'
import { documentsOf, type EpochDocument } from './documents.ts'
import { adviceOn, ForkedLog } from './forked-log.ts'
import { type Heard, hear, NotHeard } from './heard.ts'
import { epochSigners, proofKey, publicProofKeys, retireReceiptKeys } from './keys.ts'
import { epochLeaf } from './leaf.ts'
import { appendTransactions, type LogProgress, logAt, logProgress, nextTransactions } from './log.ts'
import { checkpointText, signNote, vkeyOf } from './note.ts'
import { keepParts, type OwedTree, owedTree } from './owed.ts'
import { noteProblem } from './problems.ts'
import { markPublished, requireContinued } from './published.ts'
import { makeMissingSecrets, UnreadableSecret } from './secrets.ts'
import { verifierHash } from './verifier-listing.ts'
import type { WitnessOptions } from './witnesses.ts'

/** Transactions that one pass adds. */
const MOST_TRANSACTIONS = 5_000
/** Transactions that commit late still belong to the epoch in which they began. */
const GRACE_MS = 600_000
const HOUR_MS = 3_600_000

export type LogOptions = {
  pool: Pool
  config: Secrets & ProofConfig
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  mostTransactions?: number
}

export type ProofConfig = {
  readonly dataDir: string
  readonly publicUrl: string
  /** Length of an epoch, in hours: it divides a day. */
  readonly epochHours: number
  /** True: transactions are published as salted hashes. */
  readonly closedLeaves: boolean
  readonly bucket: Bucket | null
} & WitnessOptions['config']

/**
 * Adds all sealed transactions to the public log, and ends every epoch that is over. A log that does not continue what this
 * machine has published is not signed: that is logged as an error.
 * @param closeNow ends the open epoch even if it is not over
 * @returns how many epochs it ended, or null if the log is forked or another process writes it
 */
export async function writeLog(
  options: LogOptions,
  { closeNow = false }: { closeNow?: boolean } = {},
): Promise<number | null> {
  // Nobody outside is waited for in a transaction, or while this process keeps others from writing the log.
  const heard = closeNow || (await isEpochOver(options)) ? await hear(options) : undefined
  const client = await directOf(options.pool).connect()
  let isClean = false
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [lockKeys.publicLog])
    if (!rows[0].locked) return null
    // Ending the connection after an error frees the lock too, but only when PostgreSQL notices.
    const epochs = await writeOrRefuse(client, { ...options, heard }, closeNow).finally(() =>
      client.query('SELECT pg_advisory_unlock($1)', [lockKeys.publicLog]),
    )
    isClean = true
    return epochs
  } finally {
    client.release(!isClean)
  }
}

/**
 * Seals what is new in the books, then adds it to the public log. Without whole seals no epoch is signed: the log would end
 * a day without its transactions.
 * @returns as `writeLog`; also null if the chain of seals is broken
 */
export async function publishBooks(
  options: LogOptions,
  how?: { closeNow?: boolean },
): Promise<number | null> {
  return (await sealBooks(options)) === null ? null : await writeLog(options, how)
}

type WriteOptions = LogOptions & { heard: Heard | undefined }

async function writeOrRefuse(
  client: PoolClient,
  options: WriteOptions,
  closeNow: boolean,
): Promise<number | null> {
  try {
    const epochs = await writeAlone(client, options, closeNow)
    await markNewest(client, options)
    await noteProblem(client, 'writing', null, options.clock.now())
    if (epochs > 0) await noteProblem(client, 'signing', null, options.clock.now())
    return epochs
  } catch (error) {
    await client.query('ROLLBACK')
    if (!(error instanceof ForkedLog || error instanceof NotHeard)) {
      const { message } = error as Error
      await noteProblem(client, 'writing', message, options.clock.now())
      if (error instanceof UnreadableSecret)
        options.log.error(
          { alarm: 'ledger', check: 'public log' },
          `nothing is added to the log: ${adviceOn(error)}`,
        )
      throw error
    }
    if (error instanceof NotHeard) {
      options.log.info(error.message)
      return null
    }
    await noteProblem(client, 'signing', error.message, options.clock.now())
    options.log.error({ alarm: 'ledger', check: 'public log' }, `no epoch is signed: ${adviceOn(error)}`)
    return null
  }
}

/** Also before the first transaction, whose epoch may be long over. */
async function isEpochOver({ pool, clock }: LogOptions): Promise<boolean> {
  const { rows } = await pool.query<{ ends: Date | null }>(
    'SELECT epoch_ends AS ends FROM ledger.log_progress',
  )
  const ends = rows[0]?.ends
  return ends === null || ends === undefined || clock.now().getTime() >= ends.getTime()
}

async function writeAlone(
  client: PoolClient,
  { heard, ...rest }: WriteOptions,
  closeNow: boolean,
): Promise<number> {
  let epochs = 0
  // Those that this process has ended itself continue what the others have.
  const options = { ...rest, heard: heard && { ...heard } }
  for (;;) {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const did = await pass(client, options)
    await client.query('COMMIT')
    if (did === 'nothing') break
    if (did === 'added') continue
    epochs++
    if (options.heard) options.heard.epochs++
  }
  if (!closeNow) return epochs
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const progress = await logProgress(client)
  if (hasBegun(progress)) {
    const now = options.clock.now()
    // One that is over, and waits for late commits only, ends on its own day.
    if (now >= progress.epoch_ends) await endEpoch(client, options, progress)
    else await closeEpoch(client, options, progress, { endedAt: now, nextEnds: progress.epoch_ends })
    epochs++
  }
  await client.query('COMMIT')
  return epochs
}

/** After each run, so that a process that was killed after its commit is made up for. */
async function markNewest(client: PoolClient, { config: { dataDir } }: LogOptions): Promise<void> {
  const checkpoint = await newestOwnCheckpoint(client)
  const [first] = await publicProofKeys(client, 'log')
  if (checkpoint !== undefined && first !== undefined) await markPublished(dataDir, first, checkpoint)
}

type Begun = LogProgress & { moment: Date; epoch_ends: Date }

function hasBegun(progress: LogProgress): progress is Begun {
  return progress.moment !== null && progress.epoch_ends !== null
}

/** Adds the next transactions of the open epoch, or ends it. */
async function pass(client: PoolClient, options: WriteOptions): Promise<'added' | 'ended' | 'nothing'> {
  const { config, clock, mostTransactions = MOST_TRANSACTIONS } = options
  const progress = await logProgress(client)
  const now = clock.now()
  const next = await nextTransactions(client, progress, mostTransactions)
  if (next.length === 0) {
    if (!hasBegun(progress) || now.getTime() < progress.epoch_ends.getTime() + GRACE_MS) return 'nothing'
    return await endEpoch(client, options, progress)
  }
  const moments = momentsOf(progress, next, now)
  const ends = progress.epoch_ends ?? endOf(moments[0]!, config.epochHours)
  const within = moments.findIndex(moment => moment >= ends)
  if (within === 0 && hasBegun(progress)) return await endEpoch(client, options, progress)
  const count = within === -1 ? moments.length : within
  await appendTransactions(client, config, next.slice(0, count), {
    epoch: (await lastEpoch(client)) + 1n,
    ends,
    now,
    isClosed: config.closedLeaves,
  })
  return 'added'
}

/** Never before an earlier one, so that dates ascend along the log; and never in the future, by a wrong clock. */
function momentsOf({ moment }: LogProgress, transactions: readonly { moment: number }[], now: Date): Date[] {
  let latest = moment?.getTime() ?? 0
  return transactions.map(transaction => {
    latest = Math.max(latest, Math.min(transaction.moment, now.getTime()))
    return new Date(latest)
  })
}

function endOf(moment: Date, hours: number): Date {
  const length = hours * HOUR_MS
  return new Date((Math.floor(moment.getTime() / length) + 1) * length)
}

async function lastEpoch(client: PoolClient): Promise<bigint> {
  const { rows } = await client.query<{ number: bigint }>(
    'SELECT coalesce(max(number), 0) AS number FROM ledger.epochs',
  )
  return rows[0]!.number
}

async function endEpoch(client: PoolClient, options: WriteOptions, progress: Begun): Promise<'ended'> {
  const endedAt = progress.epoch_ends
  await closeEpoch(client, options, progress, {
    endedAt,
    nextEnds: endOf(endedAt, options.config.epochHours),
  })
  return 'ended'
}

/** Ends the open epoch with its leaf, its tree of liabilities and a signed checkpoint. */
async function closeEpoch(
  client: PoolClient,
  { config, clock, log, heard }: WriteOptions,
  progress: Begun,
  { endedAt, nextEnds }: { endedAt: Date; nextEnds: Date },
): Promise<void> {
  const epoch = (await lastEpoch(client)) + 1n
  if (heard?.epochs !== epoch - 1n) throw new NotHeard('an epoch waits until all others were asked anew')
  await makeMissingSecrets(client, config)
  const tree = await owedTree(client, config, epoch)
  const documents = await documentsOf(client, { epoch, from: progress.epoch_from, to: progress.size })
  const transactions = progress.size - progress.epoch_from
  const leaf = Buffer.from(
    epochLeaf({
      epoch,
      day: dayOf(new Date(Math.max(endedAt.getTime() - 1, progress.moment.getTime()))),
      transactions: Number(transactions),
      balances: progress.balances,
      tree: tree && { leaves: tree.count, sum: tree.sum, root: tree.root, sha256: sha256(tree.leaves) },
      hashes: [
        ...documents.map(({ line, content }) => [line, sha256(content)] as const),
        ['verifier', verifierHash()],
      ],
      receipts: vkeyOf(await proofKey(client, config, 'receipts', epoch)),
    }),
  )
  const before = await logAt(client, Number(progress.size))
  const signers = await epochSigners(client, config, { epoch, day: endedAt })
  const [key] = signers
  await requireLeavesAsSet(client, config.closedLeaves)
  await requireContinued(client, { witnesses: config.witnesses, heard }, before.size)
  const head = append(before, leafHash(leaf))
  const root = rootOf(head)
  const text = checkpointText(key.name, { size: head.size, root })
  await client.query(
    `SELECT ledger.close_epoch(ROW($1::bigint, $2::bigint, $3::bytea, $4::timestamptz, $5::timestamptz, $6::bigint,
                                   $7::bigint, $8::bigint, $9::text)::ledger.epochs, $10, $11)`,
    [
      epoch,
      head.size,
      root,
      endedAt,
      clock.now(),
      transactions,
      tree?.sum ?? 0n,
      tree?.count ?? 0,
      signNote(text, ...signers),
      leaf,
      nextEnds,
    ],
  )
  // One at a time: in an array, a file of 84 MB would take a gigabyte as text.
  for (const [name, content] of filesOf(tree, documents)) {
    await client.query('SELECT ledger.add_epoch_file($1, $2, $3)', [epoch, name, content])
  }
  if (tree) await keepParts(client, epoch, tree)
  await retireReceiptKeys(client, epoch)
  log.info({ epoch: epoch.toString(), size: head.size, transactions: transactions.toString() }, 'epoch ended')
}

/** RFC 6962, 2.1. */
function leafHash(leaf: Buffer): Buffer {
  return sha256(Buffer.concat([Buffer.of(0), leaf]))
}

type EpochFile = [name: string, content: Buffer]

function filesOf(tree: OwedTree | undefined, documents: readonly EpochDocument[]): EpochFile[] {
  const ofDocuments = documents.map(({ name, content }): EpochFile => [name, content])
  if (tree === undefined) return ofDocuments
  const ofNodes = tree.nodes.map((nodes, at): EpochFile => [`nodes/${at + 1}`, nodes])
  return [['leaves.bin', tree.leaves], ...ofNodes, ...ofDocuments]
}
