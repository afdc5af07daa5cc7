import type { Services } from '#server/context.ts'
import { assessPayouts } from '#server/payments/payouts/assess.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import { type Block, type Chain, ChainFault, type Nonces, type Scanned } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'
import type { SyncErrorKind } from '#shared/contract/entities.ts'
import { whileAlone } from './alone.ts'
import { assessDue } from './assess.ts'
import { blocksUpTo, type Cursor, cursorOf, firstBlock, forkOf, TooDeep } from './cursor.ts'
import { requireDated } from './dated.ts'
import { isStorable } from './keep-transfers.ts'
import { store } from './store.ts'
import { type WatchedHere, watchedOf } from './watched.ts'

/** Blocks that are read and written down in one step: so many are read again after a fault. */
const STEP = 25

export type Look = {
  /** `alone`: done. `elsewhere`: another process is at it. `stopped`: a person has to look first. */
  outcome: 'alone' | 'elsewhere' | 'stopped'
}

/**
 * Looks at one network: what has come since the last look is written down, and what counts by now is credited (or taken back). Whatever
 * ends it in between, the next look goes on from there. Only one process looks at a time.
 * @throws ChainFault and every other fault, after it was written down with what it keeps from being done; what counted before was
 *   credited all the same
 */
export async function look(services: Services, method: DepositMethod, chain: Chain): Promise<Look> {
  const done = await whileAlone(services.pool, method, async () => {
    const isStopped = (await cursorOf(services.db, method))?.halted ?? false
    if (isStopped) return { outcome: 'stopped' } as const
    const unread = await faultOf(() => readOn(services, method, chain))
    if (unread !== undefined) await keepFault(services, method, unread.error)
    if (unread?.error instanceof TooDeep) throw unread.error
    const fault = (await assess(services, method)) ?? unread
    if (fault !== undefined) throw fault.error
    return { outcome: 'alone' } as const
  })
  return done ?? { outcome: 'elsewhere' }
}

type Failed = { error: unknown }

async function faultOf(work: () => Promise<unknown>): Promise<Failed | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return { error }
  }
}

/**
 * What is written down by now means something for deposits, and for payouts; neither keeps the other from it. What ends one of them stands
 * as the network's fault until both come to their end.
 */
async function assess(services: Services, method: DepositMethod): Promise<Failed | undefined> {
  const payouts = await faultOf(async () => {
    const { failed } = await assessPayouts(services, method)
    await keepFailedPayouts(services.db, method, failed)
  })
  if (payouts !== undefined) await keepUnassessed(services, method, 'payouts', payouts.error)
  const deposits = await faultOf(async () => {
    const failed = await assessDue(services, method)
    await keepFailedDeposits(services.db, method, failed)
  })
  if (deposits !== undefined) await keepUnassessed(services, method, 'crediting', deposits.error)
  const failed = deposits ?? payouts
  if (failed === undefined) await forgetUnassessed(services.db, method)
  return failed
}

/** Which withdrawals could not be assessed, although the others were. */
async function keepFailedPayouts(db: Services['db'], method: DepositMethod, ids: string[]): Promise<void> {
  await db
    .updateTable('app.chain_cursors')
    .set({ failed_payouts: ids })
    .where('method', '=', method)
    .where(({ eb, val }) => eb('failed_payouts', '<>', val(ids)))
    .execute()
}

/** How many deposits could not be assessed, although the others were. */
async function keepFailedDeposits(db: Services['db'], method: DepositMethod, count: number): Promise<void> {
  await db
    .updateTable('app.chain_cursors')
    .set({ failed_deposits: count })
    .where('method', '=', method)
    .where('failed_deposits', '<>', count)
    .execute()
}

const unassessedWords = {
  crediting: 'What came could not be credited or taken back; the log of the worker says why',
  payouts: 'Payouts could not be marked as paid; the log of the worker says why',
} as const

async function keepUnassessed(
  { db, clock, log }: Services,
  method: DepositMethod,
  kind: keyof typeof unassessedWords,
  error: unknown,
): Promise<void> {
  const fault = unassessedWords[kind]
  // Once for all looks that follow: it lasts as long as the console says.
  if ((await cursorOf(db, method))?.sync_error_kind !== kind) log.error({ err: error, method }, fault)
  await writeFault(db, method, { fault, kind, since: clock.now() })
}

async function forgetUnassessed(db: Services['db'], method: DepositMethod): Promise<void> {
  await db
    .updateTable('app.chain_cursors')
    .set({ sync_error: null, sync_error_since: null, sync_error_kind: 'reading' })
    .where('method', '=', method)
    .where('sync_error_kind', 'in', ['crediting', 'payouts'])
    .execute()
}

/** Reads from where the last look ended to the tip, step by step. */
async function readOn(services: Services, method: DepositMethod, chain: Chain): Promise<void> {
  const began = services.clock.now()
  const tip = await chain.tip()
  requireDated(method, [tip], services.clock.now())
  let cursor = (await cursorOf(services.db, method)) ?? (await begin(services, method, { chain, tip }))
  // A node that is behind what was read knows nothing new; nor is what it does not know yet taken back.
  if (tip.height < cursor.synced_height) return requireNear(services, chain, { cursor, tip })
  for (;;) {
    const moved = await step(services, chain, { cursor, tip, began })
    if (moved === undefined || moved.synced_height === tip.height) return
    cursor = moved
  }
}

/** How long a node may be behind what was read, in minutes: others of the same service may have less, and a reorganisation takes some. */
const BEHIND_MINUTES = 10

/** @throws ChainFault where it is far behind, or has been behind for long: it was set up anew, or follows another chain */
function requireNear(
  { clock }: Services,
  { horizon }: Chain,
  { cursor: { synced_height, synced_at }, tip }: { cursor: Cursor; tip: Block },
): void {
  const isNear = tip.height >= synced_height - horizon
  const since = synced_at === null ? 0 : clock.now().getTime() - synced_at.getTime()
  if (isNear && since < BEHIND_MINUTES * 60_000) return
  throw new ChainFault(`the node is behind: it has block ${tip.height}, and ${synced_height} was read`)
}

/** @returns where it stands now; undefined where somebody else has moved it meanwhile */
async function step(
  services: Services,
  chain: Chain,
  { cursor, tip, began }: { cursor: Cursor; tip: Block; began: Date },
): Promise<Cursor | undefined> {
  const { db, clock, log } = services
  const { method } = cursor
  const fork = await forkOf(db, chain, cursor, tip)
  if (fork < cursor.synced_height) {
    log.warn({ method, fork, height: cursor.synced_height }, 'the network has replaced blocks that were read')
  }
  // Read after the tip: every address that a block up to it can pay was shown before it, and is in the database.
  const watched = await watchedOf(services, method, fork - chain.horizon)
  const to = Math.min(tip.height, fork + STEP)
  const scanned = to > fork ? await chain.scan({ from: fork + 1, to }, watched) : nothing
  await requireLinked(services, scanned, { cursor, fork, to })
  // What is in no block yet is not always to be had; the blocks count without it.
  const isAtTip = to === tip.height
  const [unconfirmed] = await Promise.allSettled(isAtTip ? [chain.pending(watched)] : [])
  const pending = unconfirmed?.status === 'fulfilled' ? unconfirmed.value : undefined
  const [numbered] = await Promise.allSettled(isAtTip ? [noncesOf(chain, watched, to)] : [])
  for (const { transactionId, units } of [...scanned.transfers, ...(pending?.transfers ?? [])].filter(
    transfer => !isStorable(transfer),
  )) {
    log.warn({ method, transactionId, units: `${units}` }, 'a transfer of an impossible amount is left out')
  }
  const hasMoved = pending !== undefined && (await hasNewTip(services, chain, { method, tip }))
  const learnt = {
    chain,
    cursor,
    fork,
    tip,
    scanned,
    pending,
    hasMoved,
    watched,
    nonces: numbered?.status === 'fulfilled' ? numbered.value : new Map(),
    isWhole: pending !== undefined && numbered?.status === 'fulfilled',
    began,
    now: clock.now(),
  }
  const isStored = await retrying(() => db.transaction().execute(tx => store(tx, learnt)))
  for (const asked of [unconfirmed, numbered])
    if (asked?.status === 'rejected') throw unconfirmedFault(asked.reason)
  return isStored ? cursorOf(db, method) : undefined
}

/**
 * How far the transactions of those who pay are numbered, where they are: settled by the blocks that are read with them alone, so that what
 * has used a number is never known later than that it is used.
 */
async function noncesOf(
  chain: Chain,
  { senders }: WatchedHere,
  height: number,
): Promise<Map<string, Nonces>> {
  if (chain.nonces === undefined) return new Map()
  const found = new Map<string, Nonces>()
  for (const sender of senders) found.set(sender, await chain.nonces(sender, height))
  return found
}

/** The blocks were read to the tip all the same: what is confirmed counts, and the next look is not put off. */
export class UnconfirmedFault extends ChainFault {}

function unconfirmedFault(reason: unknown): unknown {
  if (!(reason instanceof ChainFault)) return reason
  const { message, waitMs, isLate, details } = reason
  return new UnconfirmedFault(message, {
    isLate,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(details === undefined ? {} : { details }),
  })
}

/** Asked only where something waits for a block: nothing else could be taken for gone. */
async function hasNewTip(
  { db }: Services,
  chain: Chain,
  { method, tip }: { method: DepositMethod; tip: Block },
): Promise<boolean> {
  const waiting = await db
    .selectFrom('app.chain_transfers')
    .select('id')
    .where('method', '=', method)
    .where('block_height', 'is', null)
    .where('dropped_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined && (await chain.tip()).hash !== tip.hash
}

const nothing: Scanned = { blocks: [], transfers: [], spends: [] }

/** A chain may change while it is read: what does not follow from the block before it is not believed, nor what has not come yet. */
async function requireLinked(
  { db, clock }: Services,
  { blocks }: Scanned,
  { cursor, fork, to }: { cursor: Cursor; fork: number; to: number },
): Promise<void> {
  let parent = fork === cursor.synced_height ? cursor.synced_hash : await hashAt(db, cursor.method, fork)
  let height = fork
  for (const block of blocks) {
    height += 1
    if (block.height !== height || block.parentHash !== parent) {
      throw new ChainFault('the network changed its chain while it was read')
    }
    parent = block.hash
  }
  if (height !== to) throw new ChainFault(`the network has shown blocks up to ${height} and not up to ${to}`)
  requireDated(cursor.method, blocks, clock.now())
}

async function hashAt(db: Services['db'], method: DepositMethod, height: number): Promise<string> {
  const { hash } = await db
    .selectFrom('app.chain_blocks')
    .select('hash')
    .where('method', '=', method)
    .where('height', '=', height)
    .executeTakeFirstOrThrow()
  return hash
}

/** The first look: nothing that came before it can have paid an address that was shown. */
async function begin(
  { db, log, clock }: Services,
  method: DepositMethod,
  { chain, tip }: { chain: Chain; tip: Block },
): Promise<Cursor> {
  const { height, hash, time } = await firstBlock(db, chain, method, tip)
  const blocks = await blocksUpTo(chain, height)
  requireDated(method, blocks, clock.now())
  await db.transaction().execute(async tx => {
    const at = { synced_height: height, synced_hash: hash, tip_height: tip.height }
    const { confirmations } = chain
    await tx
      .insertInto('app.chain_cursors')
      // Nothing after that block was looked at yet.
      .values({ method, ...at, confirmations, polled_at: time })
      .execute()
    const rows = blocks.map(block => ({ method, height: block.height, hash: block.hash, time: block.time }))
    await tx.insertInto('app.chain_blocks').values(rows).execute()
    await tx.deleteFrom('app.chain_start_errors').where('method', '=', method).execute()
  })
  log.info({ method, height }, 'the network is watched from this block on')
  return (await cursorOf(db, method))!
}

/** So that the console can say since when nothing was learnt, and why. */
async function keepFault({ db, clock, log }: Services, method: DepositMethod, error: unknown): Promise<void> {
  const isDeep = error instanceof TooDeep
  const isKnown = isDeep || error instanceof ChainFault
  const fault = isKnown ? error.message.slice(0, 500) : 'An unexpected fault; see the log of the worker'
  if (isKnown && !isDeep && error.details !== undefined) {
    log.warn({ method, fault, details: error.details }, 'the words of a node')
  }
  if (isDeep)
    log.fatal({ method, err: error }, 'watching has stopped: a person has to look (docs/operate.md)')
  const since = clock.now()
  const kind = error instanceof UnconfirmedFault ? 'unconfirmed' : 'reading'
  if (await writeFault(db, method, { fault, kind, since, isStopped: isDeep })) return
  // It has never been read: nothing stands yet that could have a fault.
  await db
    .insertInto('app.chain_start_errors')
    .values({ method, error: fault, error_since: since })
    .onConflict(conflict => conflict.column('method').doUpdateSet({ error: fault }))
    .execute()
}

/** @returns whether it has ever been read, so that there is something to write it beside */
async function writeFault(
  db: Services['db'],
  method: DepositMethod,
  of: { fault: string; kind: SyncErrorKind; since: Date; isStopped?: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app.chain_cursors')
    .set(({ fn, ref, val }) => ({
      sync_error: of.fault,
      sync_error_kind: of.kind,
      sync_error_since: fn.coalesce(ref('sync_error_since'), val(of.since)),
      ...(of.isStopped ? { halted: true } : {}),
    }))
    .where('method', '=', method)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
