import { addressKey } from '#shared/addresses.ts'
import type { Known } from './known.ts'

/** What was seen on a network, of all that pays an address of a batch (app.chain_transfers). */
export type Sighting = {
  /** What was written down later has a higher one. */
  id: bigint
  transactionId: string
  position: number
  /** As `addressKey` writes it. */
  address: string
  token: string
  units: bigint
  /** Outpoints of Bitcoin, else the one sender's address as `addressKey` writes it. */
  from: readonly string[]
  seenAt: Date
  /** null: in no block. */
  block: { height: number; time: Date } | null
  /** Replaced or dropped: the network knows nothing of it any more. */
  isGone: boolean
}

export type Alert = {
  kind: 'wrong_amount' | 'dropped' | 'paid_after_cancel' | 'paid_twice'
  sighting: Sighting
}

/** A withdrawal of a batch as it stands. */
export type Item = {
  position: number
  address: string
  units: bigint
  state: 'open' | 'paid' | 'released'
  /** The transfer that pays it, as far as it is known. */
  transactionId: string | null
  transferPosition: number | null
  alert: Alert['kind'] | null
  alertTransaction: string | null
  /** The transaction by which its withdrawal was marked as paid, by whomever. */
  paidBy: string | null
  /** What other batches of the same sender are to pay to the same address, of which nothing was seen yet: it is theirs when it comes. */
  awaitedElsewhere: readonly bigint[]
  /** Of a released one: its file was given out or sent, and can still be mined (given-out.ts). */
  canStillPay: boolean
}

export type Batch = {
  status: 'open' | 'seen' | 'paid' | 'cancelled'
  token: string
  /** The address that it is paid from; null: from `outpoints`. */
  sender: string | null
  outpoints: ReadonlySet<string>
  /** What was known of its network when it was made; null: of one that is paid from `outpoints`. */
  known: Known | null
}

/** What is to be written down of one item. */
export type Change =
  | { kind: 'seen'; item: Item; sighting: Sighting }
  | { kind: 'unseen'; item: Item }
  | { kind: 'paid'; item: Item; sighting: Sighting }
  /** Of one that is paid: its transaction was replaced by another one that pays the same. */
  | { kind: 'replaced'; item: Item; sighting: Sighting }
  | { kind: 'alert'; item: Item; alert: Alert }
  | { kind: 'right'; item: Item }

/**
 * What the sightings mean for the items of a batch: the one place that says when a withdrawal counts as paid. A transfer pays an item if
 * it comes from the batch (spends one of its outpoints, or is sent by its sender after what was known when it was made), to the very address, with the very
 * units of the very token; it counts with enough confirmations. A transfer pays one item.
 * @param taken transfers that pay items of other batches, or withdrawals that were paid by hand, as `transferName`
 * @param height up to which the chain was read @param needed confirmations, the block of the transfer being the first
 */
export function changesOf(
  batch: Batch,
  items: readonly Item[],
  sightings: readonly Sighting[],
  { taken, height, needed }: { taken: ReadonlySet<string>; height: number; needed: number },
): Change[] {
  const ours = sightings.filter(sighting => isOf(batch, sighting))
  const owned = new Set(items.flatMap(item => ownTransfer(item) ?? []))
  return items.flatMap(item => {
    const all = ours.filter(({ address }) => address === addressKey(item.address))
    const free = all.filter(sighting => {
      const name = transferName(sighting)
      return name === ownTransfer(item) || !(owned.has(name) || taken.has(name))
    })
    const right = free
      .filter(({ token, units, isGone }) => !isGone && token === batch.token && units === item.units)
      .toSorted(byBlock)
    const isElsewhere = ({ token, units }: Sighting) =>
      token === batch.token && item.awaitedElsewhere.includes(units)
    const own = right.find(sighting => transferName(sighting) === ownTransfer(item))
    const pays = own?.block != null ? own : right[0]
    const seen: Seen = {
      pays,
      // Of two transactions that replace each other one is mined.
      again: right.find(other => other !== pays && other.block !== null && !isElsewhere(other)),
      others: free.filter(sighting => !sighting.isGone && sighting !== pays && !isElsewhere(sighting)),
      counts: pays !== undefined && depthOf(pays, height) >= needed,
    }
    if (item.state === 'open') return ofOpen(item, seen)
    if (item.state === 'paid') return ofPaid(item, seen, all)
    return ofReleased(item, batch.status === 'cancelled' ? free : right, all)
  })
}

/** One transfer among all of a network's. */
export function transferName({
  transactionId,
  position,
}: Pick<Sighting, 'transactionId' | 'position'>): string {
  return `${transactionId}:${position}`
}

/** How many confirmations it has: its own block is the first. */
export function depthOf({ block }: Pick<Sighting, 'block'>, height: number): number {
  return block === null ? 0 : Math.max(0, height - block.height + 1)
}

function ownTransfer({ transactionId, transferPosition }: Item): string | undefined {
  return transactionId === null ? undefined : transferName({ transactionId, position: transferPosition! })
}

/** As `cameFor` of came.ts. */
function isOf({ sender, outpoints, known }: Batch, { id, from, block }: Sighting): boolean {
  if (sender === null || known === null) return from.some(outpoint => outpoints.has(outpoint))
  const isLater = id > known.transfer && (block === null || block.time >= known.time)
  return isLater && from.includes(addressKey(sender))
}

/** Those in a block first, the deepest first. */
function byBlock(a: Sighting, b: Sighting): number {
  const height = ({ block }: Sighting) => block?.height ?? Number.MAX_SAFE_INTEGER
  return height(a) - height(b) || a.seenAt.getTime() - b.seenAt.getTime()
}

type Seen = {
  pays: Sighting | undefined
  /** Another one in a block that pays the very same once more. */
  again: Sighting | undefined
  others: readonly Sighting[]
  counts: boolean
}

function ofOpen(item: Item, { pays, again, others, counts }: Seen): Change[] {
  if (pays !== undefined) {
    const told = alertOf(item, 'paid_twice', again)
    if (counts) return [...told, { kind: 'paid', item, sighting: pays }]
    const isKnown = ownTransfer(item) === transferName(pays)
    return isKnown ? told : [...told, { kind: 'seen', item, sighting: pays }]
  }
  const unseen = item.transactionId === null ? [] : [{ kind: 'unseen', item } as const]
  return [...unseen, ...alertOf(item, 'wrong_amount', others[0])]
}

/** Paid is paid: what its transaction becomes is told, and never takes the posting back by itself. */
function ofPaid(item: Item, { pays, again }: Seen, all: readonly Sighting[]): Change[] {
  if (pays?.block == null) {
    const known = all.find(sighting => transferName(sighting) === ownTransfer(item))
    return known === undefined ? [] : alertOf(item, 'dropped', known)
  }
  const told = alertOf(item, 'paid_twice', again)
  if (transferName(pays) === ownTransfer(item)) return told
  return [...told, { kind: 'replaced', item, sighting: pays }]
}

/**
 * Of what the batch does not pay any more, nothing should ever have come but what somebody has marked as paid by it.
 * @param free of a cancelled batch all that comes from it, else what would have paid the withdrawal
 */
function ofReleased(item: Item, free: readonly Sighting[], all: readonly Sighting[]): Change[] {
  const paidBy = item.paidBy?.toLowerCase()
  const came = free.find(({ isGone, transactionId }) => !isGone && transactionId !== paidBy)
  if (came === undefined && mayComeBack(item, all)) return []
  return alertOf(item, paidBy === undefined ? 'paid_after_cancel' : 'paid_twice', came)
}

/** What was flagged and is not there now stays flagged while it can be mined: somebody did send it. */
function mayComeBack({ alertTransaction, paidBy, canStillPay }: Item, all: readonly Sighting[]): boolean {
  if (!canStillPay || alertTransaction === null || alertTransaction === paidBy?.toLowerCase()) return false
  return !all.some(({ transactionId, isGone }) => transactionId === alertTransaction && !isGone)
}

function alertOf(item: Item, kind: Alert['kind'], sighting: Sighting | undefined): Change[] {
  if (sighting === undefined) return item.alert === null ? [] : [{ kind: 'right', item }]
  if (item.alert === kind && item.alertTransaction === sighting.transactionId) return []
  return [{ kind: 'alert', item, alert: { kind, sighting } }]
}
