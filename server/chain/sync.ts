import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import { type Block, type Chain, ChainError, type NextNonce, type Scanned } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import type { SyncErrorKind } from '#shared/contract/entities.ts'
import { rejectFutureBlocks } from './block-times.ts'
import { readContractEther } from './contract-ether.ts'
import { blocksUpTo, type Cursor, cursorOf, firstBlock } from './cursor.ts'
import { exclusively } from './exclusive.ts'
import { commonAncestor, ReorgTooDeep } from './reorg.ts'
import { store } from './store.ts'
import { isStorable } from './transfers.ts'
import { type ReadPayoutWatch, type Watchlist, watchlistOf } from './watchlist.ts'

/** Blocks scanned and stored in one step: at most so many are scanned again after an error. */
const STEP = 25

export type SyncResult = {
  /** `busy`: another process syncs the network. `halted`: a person must act first. */
  outcome: 'synced' | 'busy' | 'halted'
}

/** Acts on the stored transfers of a network after each sync, under the same lock. */
export type TransferConsumer = {
  /** Recorded, with the message, as the network's error if `assess` throws. */
  errorKind: 'crediting' | 'payouts'
  message: string
  assess: (services: Services, rail: RailName) => Promise<void>
}

/** What may happen soon. A chain that rests reads unconfirmed transactions only for it, and nonces only for payouts. */
export type Expected = { payment: boolean; payout: boolean }

/** What the domains above contribute to a sync. */
export type Composition = {
  readPayouts: ReadPayoutWatch
  readExpected: (services: Services, rail: RailName) => Promise<Expected>
  consumers: readonly TransferConsumer[]
}

/**
 * Stores the new blocks and transfers of a network, then runs the consumers, also if reading failed. An interrupted sync continues with
 * the next one; only one process syncs a network at a time.
 * @throws ChainError and any other error, after recording it on the cursor
 */
export async function sync(
  services: Services,
  rail: RailName,
  chain: Chain,
  { readPayouts, readExpected, consumers }: Composition,
): Promise<SyncResult> {
  const watch = (replaceable: number) => watchlistOf(services, rail, readPayouts, replaceable)
  const expected = async () =>
    chain.restSeconds === null ? { payment: true, payout: true } : readExpected(services, rail)
  const done = await exclusively(services.pool, rail, async () => {
    const isHalted = (await cursorOf(services.db, rail))?.halted ?? false
    if (isHalted) return { outcome: 'halted' } as const
    const unread = await failureOf(() => catchUp(services, rail, { chain, watch, expected }))
    if (unread !== undefined) await recordError(services, rail, unread.error)
    if (unread?.error instanceof ReorgTooDeep) throw unread.error
    const failure = (await assess(services, rail, consumers)) ?? unread
    if (failure !== undefined) throw failure.error
    return { outcome: 'synced' } as const
  })
  return done ?? { outcome: 'busy' }
}

type Failed = { error: unknown }

async function failureOf(work: () => Promise<unknown>): Promise<Failed | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return { error }
  }
}

/** Runs every consumer, even if another one fails. The error stays on the cursor until all of them succeed. */
async function assess(
  services: Services,
  rail: RailName,
  consumers: readonly TransferConsumer[],
): Promise<Failed | undefined> {
  let failed: Failed | undefined
  for (const consumer of consumers) {
    const failure = await failureOf(() => consumer.assess(services, rail))
    if (failure === undefined) continue
    await recordConsumerError(services, rail, { ...consumer, error: failure.error })
    failed = failure
  }
  if (failed === undefined) await clearConsumerErrors(services.db, rail)
  return failed
}

type ConsumerError = Pick<TransferConsumer, 'errorKind' | 'message'> & { error: unknown }

async function recordConsumerError(
  { db, clock, log }: Services,
  rail: RailName,
  { errorKind: kind, message, error }: ConsumerError,
): Promise<void> {
  // Log it once: the console shows how long it lasts.
  if ((await cursorOf(db, rail))?.sync_error_kind !== kind) log.error({ err: error, rail }, message)
  await writeError(db, rail, { message, kind, since: clock.now() })
}

async function clearConsumerErrors(db: Services['db'], rail: RailName): Promise<void> {
  await db
    .updateTable('app.chain_cursors')
    .set({ sync_error: null, sync_error_since: null, sync_error_kind: 'reading' })
    .where('rail', '=', rail)
    .where('sync_error_kind', 'in', ['crediting', 'payouts'])
    .execute()
}

/** @param replaceable height above which a reorg may still undo spends */
type Watch = (replaceable: number) => Promise<Watchlist>
type Network = { chain: Chain; watch: Watch; expected: () => Promise<Expected> }

/** Scans from the synced height to the tip, step by step. */
async function catchUp(services: Services, rail: RailName, network: Network): Promise<void> {
  const { chain } = network
  const startedAt = services.clock.now()
  const tip = await chain.tip()
  rejectFutureBlocks(rail, [tip], services.clock.now())
  rejectStale(chain, tip, services.clock.now())
  let cursor = (await cursorOf(services.db, rail)) ?? (await start(services, rail, { chain, tip }))
  // A node behind our synced height knows nothing new, and proves no reorg.
  if (tip.height < cursor.synced_height) return rejectBehind(services, chain, { cursor, tip })
  const begun = cursor.synced_height
  for (;;) {
    const moved = await step(services, network, { cursor, tip, begun, startedAt })
    if (moved === undefined || moved.synced_height === tip.height) return
    cursor = moved
  }
}

/**
 * A node that is stuck answers like a healthy one, and knows no new payment, payout or reorg.
 * @throws ChainError if its tip is older than the network's blocks ever are
 */
function rejectStale({ staleMinutes }: Chain, { height, time }: Block, now: Date): void {
  const minutes = Math.floor((now.getTime() - time.getTime()) / 60_000)
  if (staleMinutes === null || minutes <= staleMinutes) return
  const age = minutes < 120 ? `${minutes} minutes` : `${Math.floor(minutes / 60)} hours`
  throw new ChainError(
    `the node's newest block, ${height}, is ${age} old: it is stuck, cut off from its network, or still catching up`,
  )
}

/** Minutes that a node may stay behind our synced height: servers of one service differ, and a reorg takes some time. */
const BEHIND_MINUTES = 10

/** @throws ChainError if the node is far behind or has been behind for long: reinstalled, or on another chain */
function rejectBehind(
  { clock }: Services,
  { maxReorgDepth }: Chain,
  { cursor: { synced_height, synced_at }, tip }: { cursor: Cursor; tip: Block },
): void {
  const isNear = tip.height >= synced_height - maxReorgDepth
  const since = synced_at === null ? 0 : clock.now().getTime() - synced_at.getTime()
  if (isNear && since < BEHIND_MINUTES * 60_000) return
  throw new ChainError(`the node is behind: it has block ${tip.height}, and we have synced ${synced_height}`)
}

/** @returns the new cursor; undefined if another process has moved it meanwhile */
async function step(
  services: Services,
  { chain, watch, expected }: Network,
  { cursor, tip, begun, startedAt }: { cursor: Cursor; tip: Block; begun: number; startedAt: Date },
): Promise<Cursor | undefined> {
  const { db, clock, log } = services
  const { rail } = cursor
  const { fork, to, watched, scanned } = await readOn(services, { chain, watch }, { cursor, tip })
  await requireLinked(services, scanned, { cursor, fork, to })
  // The mempool is not always available; blocks count without it.
  const isAtTip = to === tip.height
  const wanted = isAtTip ? await expected() : { payment: false, payout: false }
  const isWanted = wanted.payment || wanted.payout
  const [unconfirmed] = await Promise.allSettled(isWanted ? [chain.pending(watched)] : [])
  const pending = unconfirmed?.status === 'fulfilled' ? unconfirmed.value : undefined
  const [numbered] = await Promise.allSettled(wanted.payout ? [noncesOf(chain, watched)] : [])
  const [compared] = await Promise.allSettled(
    isAtTip ? [readContractEther(db, chain, { cursor, fork, scanned, watched, now: clock.now() })] : [],
  )
  for (const { transactionId, units } of [...scanned.transfers, ...(pending?.transfers ?? [])].filter(
    transfer => !isStorable(transfer),
  )) {
    log.warn({ rail, transactionId, units: `${units}` }, 'skipped a transfer with an impossible amount')
  }
  const hasMoved = pending !== undefined && (await hasNewTip(services, chain, { rail, tip }))
  const result = {
    chain,
    cursor,
    fork,
    tip,
    scanned,
    pending,
    hasMoved,
    watched,
    nonces: numbered?.status === 'fulfilled' ? numbered.value : new Map(),
    ether: compared?.status === 'fulfilled' ? compared.value : undefined,
    isWhole: isAtTip && [unconfirmed, numbered, compared].every(asked => asked?.status !== 'rejected'),
    startedAt,
    caughtUpBy: expectedEnd({ begun, to, tip, startedAt, now: clock.now() }),
    now: clock.now(),
  }
  const isStored = await retrying(() => db.transaction().execute(tx => store(tx, result)))
  for (const asked of [unconfirmed, numbered, compared])
    if (asked?.status === 'rejected') throw asUnconfirmed(asked.reason)
  return isStored ? cursorOf(db, rail) : undefined
}

type Read = { fork: number; to: number; watched: Watchlist; scanned: Scanned }

/** Scans from the synced height or, if the blocks after it do not follow from it, from the common ancestor. */
async function readOn(
  { db, log }: Services,
  { chain, watch }: Pick<Network, 'chain' | 'watch'>,
  { cursor, tip }: { cursor: Cursor; tip: Block },
): Promise<Read> {
  const { rail, synced_height, synced_hash } = cursor
  const scanAfter = async (fork: number): Promise<Read> => {
    // Read the watchlist after the tip: any address that a block up to the tip pays is in the database by now.
    const watched = await watch(fork - chain.maxReorgDepth)
    const to = Math.min(tip.height, fork + STEP)
    const scanned = to > fork ? await chain.scan({ from: fork + 1, to }, watched) : nothing
    return { fork, to, watched, scanned }
  }
  if (tip.height > synced_height) {
    const read = await scanAfter(synced_height)
    if (read.scanned.blocks[0]?.parentHash === synced_hash) return read
  }
  const fork = await commonAncestor(db, chain, cursor, tip)
  if (fork < synced_height) log.warn({ rail, fork, height: synced_height }, 'a reorg replaced synced blocks')
  return scanAfter(fork)
}

/** When the blocks up to the tip will have been read, at the speed so far; null at the tip. */
function expectedEnd(of: { begun: number; to: number; tip: Block; startedAt: Date; now: Date }): Date | null {
  const left = of.tip.height - of.to
  if (left === 0) return null
  const perBlock = (of.now.getTime() - of.startedAt.getTime()) / Math.max(1, of.to - of.begun)
  return new Date(of.now.getTime() + left * perBlock)
}

/** The next nonces of payout senders. */
async function noncesOf(chain: Chain, { numbered }: Watchlist): Promise<Map<string, NextNonce>> {
  if (chain.nextNonce === undefined) return new Map()
  const found = new Map<string, NextNonce>()
  for (const sender of numbered) found.set(sender, await chain.nextNonce(sender))
  return found
}

/** Only unconfirmed data is missing: blocks are synced to the tip, and the next sync is not delayed. */
export class UnconfirmedError extends ChainError {}

function asUnconfirmed(reason: unknown): unknown {
  if (!(reason instanceof ChainError)) return reason
  const { message, waitMs, isLate, details } = reason
  return new UnconfirmedError(message, {
    isLate,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(details === undefined ? {} : { details }),
  })
}

/** True if the tip moved during the scan. Asked only if a transfer or a spend is unconfirmed, since only those can be marked as dropped. */
async function hasNewTip(
  { db }: Services,
  chain: Chain,
  { rail, tip }: { rail: RailName; tip: Block },
): Promise<boolean> {
  const { rows } = await sql<{ waiting: boolean }>`
    SELECT EXISTS (SELECT FROM app.chain_transfers t WHERE t.rail = ${rail} AND t.block_height IS NULL AND t.dropped_at IS NULL)
        OR EXISTS (SELECT FROM app.chain_spends s WHERE s.rail = ${rail} AND s.block_height IS NULL AND s.dropped_at IS NULL)
        AS waiting`.execute(db)
  return rows[0]!.waiting && (await chain.tip()).hash !== tip.hash
}

const nothing: Scanned = { blocks: [], transfers: [], spends: [] }

/** The chain may change during a scan: rejects blocks that do not follow from the one before, and blocks dated in the future. */
async function requireLinked(
  { db, clock }: Services,
  { blocks }: Scanned,
  { cursor, fork, to }: { cursor: Cursor; fork: number; to: number },
): Promise<void> {
  let parent = fork === cursor.synced_height ? cursor.synced_hash : await hashAt(db, cursor.rail, fork)
  let height = fork
  for (const block of blocks) {
    height += 1
    if (block.height !== height || block.parentHash !== parent) {
      throw new ChainError('the chain changed during the sync')
    }
    parent = block.hash
  }
  if (height !== to) throw new ChainError(`the node returned blocks up to ${height} instead of ${to}`)
  rejectFutureBlocks(cursor.rail, blocks, clock.now())
}

async function hashAt(db: Services['db'], rail: RailName, height: number): Promise<string> {
  const { hash } = await db
    .selectFrom('app.chain_blocks')
    .select('hash')
    .where('rail', '=', rail)
    .where('height', '=', height)
    .executeTakeFirstOrThrow()
  return hash
}

/** Starts the first sync at a block before which no address of ours was shown. */
async function start(
  { db, log, clock }: Services,
  rail: RailName,
  { chain, tip }: { chain: Chain; tip: Block },
): Promise<Cursor> {
  const { height, hash, time } = await firstBlock(db, chain, rail, tip)
  const blocks = await blocksUpTo(chain, height)
  rejectFutureBlocks(rail, blocks, clock.now())
  await db.transaction().execute(async tx => {
    const at = { synced_height: height, synced_hash: hash, tip_height: tip.height }
    const { confirmations } = chain
    await tx
      .insertInto('app.chain_cursors')
      // Nothing after that block is synced yet.
      .values({ rail, ...at, confirmations, polled_at: time })
      .execute()
    const rows = blocks.map(block => ({ rail, height: block.height, hash: block.hash, time: block.time }))
    await tx.insertInto('app.chain_blocks').values(rows).execute()
    await tx.deleteFrom('app.chain_start_errors').where('rail', '=', rail).execute()
  })
  log.info({ rail, height }, 'syncing the network from this block')
  return (await cursorOf(db, rail))!
}

/** Records a read error on the cursor, for the console. */
async function recordError({ db, clock, log }: Services, rail: RailName, error: unknown): Promise<void> {
  const isDeep = error instanceof ReorgTooDeep
  const isKnown = isDeep || error instanceof ChainError
  const message = isKnown ? error.message.slice(0, 500) : 'An unexpected error; see the log of the worker'
  if (isKnown && !isDeep && error.details !== undefined) {
    log.warn({ rail, fault: message, details: error.details }, 'error message of the node')
  }
  if (isDeep) log.fatal({ rail, err: error }, 'the sync is halted until a person acts (docs/operate.md)')
  const since = clock.now()
  const kind = error instanceof UnconfirmedError ? 'unconfirmed' : 'reading'
  if (await writeError(db, rail, { message, kind, since, isStopped: isDeep })) return
  // No cursor exists before the first sync.
  await db
    .insertInto('app.chain_start_errors')
    .values({ rail, error: message, error_since: since })
    .onConflict(conflict => conflict.column('rail').doUpdateSet({ error: message }))
    .execute()
}

/** @returns false if the network has no cursor yet */
async function writeError(
  db: Services['db'],
  rail: RailName,
  of: { message: string; kind: SyncErrorKind; since: Date; isStopped?: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app.chain_cursors')
    .set(({ fn, ref, val }) => ({
      sync_error: of.message,
      sync_error_kind: of.kind,
      sync_error_since: fn.coalesce(ref('sync_error_since'), val(of.since)),
      ...(of.isStopped ? { halted: true } : {}),
    }))
    .where('rail', '=', rail)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
