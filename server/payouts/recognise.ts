import { addressKey } from '#shared/addresses.ts'
import type { ChainCheckpoint } from './checkpoint.ts'

/** A transfer on a network to an address of a batch (app.chain_transfers). */
export type Transfer = {
  /** Ascending in the order in which we stored them. */
  id: bigint
  transactionId: string
  position: number
  /** As `addressKey` writes it. */
  address: string
  token: string
  units: bigint
  /** On Bitcoin the spent outpoints, else the sender's address as `addressKey` writes it. */
  from: readonly string[]
  seenAt: Date
  /** null while unconfirmed. */
  block: { height: number; time: Date } | null
  /** Dropped or replaced: the network no longer knows it. */
  isDropped: boolean
}

export type Alert = {
  kind: 'wrong_amount' | 'dropped' | 'paid_after_cancel' | 'paid_twice'
  transfer: Transfer
}

/** A withdrawal in a batch, as its rows have it. */
export type Item = {
  position: number
  address: string
  units: bigint
  state: 'open' | 'paid' | 'released'
  /** The transfer that pays it, once we know it. */
  transactionId: string | null
  transferPosition: number | null
  alert: Alert['kind'] | null
  alertTransaction: string | null
  /** The transaction by which the system or staff marked the withdrawal as paid. */
  paidBy: string | null
  /** Amounts other open batches of this sender still owe to the same address; a transfer of that amount belongs to them. */
  owedByOtherBatches: readonly bigint[]
  /** A released item whose exported transaction can still confirm (exported-files.ts). */
  canStillConfirm: boolean
}

export type Batch = {
  status: 'open' | 'seen' | 'paid' | 'cancelled'
  token: string
  /** The paying address; null on Bitcoin, where `outpoints` pay. */
  sender: string | null
  outpoints: ReadonlySet<string>
  /** null on Bitcoin. */
  checkpoint: ChainCheckpoint | null
}

/** A change to an item's rows. */
export type Change =
  | { kind: 'seen'; item: Item; transfer: Transfer }
  | { kind: 'dropped'; item: Item }
  | { kind: 'paid'; item: Item; transfer: Transfer }
  /** Another transaction that pays the same replaced that of a paid item. */
  | { kind: 'replaced'; item: Item; transfer: Transfer }
  | { kind: 'alert'; item: Item; alert: Alert }
  | { kind: 'alert_cleared'; item: Item }

/**
 * Matches transfers with a batch's items: the one place that decides when a withdrawal counts as paid. A transfer pays one item, if the
 * batch sent it, to the item's address, with its exact amount and token; it counts with enough confirmations.
 * @param claimed keys of transfers that pay other batches' items or manually paid withdrawals
 * @param height synced height @param needed confirmations
 */
export function changesOf(
  batch: Batch,
  items: readonly Item[],
  transfers: readonly Transfer[],
  { claimed, height, needed }: { claimed: ReadonlySet<string>; height: number; needed: number },
): Change[] {
  const ours = transfers.filter(transfer => isFrom(batch, transfer))
  const owned = new Set(items.flatMap(item => ownKey(item) ?? []))
  return items.flatMap(item => {
    const all = ours.filter(({ address }) => address === addressKey(item.address))
    const unclaimed = all.filter(transfer => {
      const key = transferKey(transfer)
      return key === ownKey(item) || !(owned.has(key) || claimed.has(key))
    })
    const exact = unclaimed
      .filter(({ token, units, isDropped }) => !isDropped && token === batch.token && units === item.units)
      .toSorted(byBlock)
    const isOwedElsewhere = ({ token, units }: Transfer) =>
      token === batch.token && item.owedByOtherBatches.includes(units)
    const own = exact.find(transfer => transferKey(transfer) === ownKey(item))
    const payment = own?.block != null ? own : exact[0]
    const matches: Matches = {
      payment,
      // Of two unconfirmed transactions that replace each other, only one confirms.
      second: exact.find(other => other !== payment && other.block !== null && !isOwedElsewhere(other)),
      others: unclaimed.filter(
        transfer => !transfer.isDropped && transfer !== payment && !isOwedElsewhere(transfer),
      ),
      isConfirmed: payment !== undefined && confirmationsOf(payment, height) >= needed,
    }
    if (item.state === 'open') return changesOfOpen(item, matches)
    if (item.state === 'paid') return changesOfPaid(item, matches, all)
    return changesOfReleased(item, batch.status === 'cancelled' ? unclaimed : exact, all)
  })
}

/** Identifies a transfer within its network. */
export function transferKey({
  transactionId,
  position,
}: Pick<Transfer, 'transactionId' | 'position'>): string {
  return `${transactionId}:${position}`
}

/** The block of the transfer is the first confirmation. */
export function confirmationsOf({ block }: Pick<Transfer, 'block'>, height: number): number {
  return block === null ? 0 : Math.max(0, height - block.height + 1)
}

function ownKey({ transactionId, transferPosition }: Item): string | undefined {
  return transactionId === null ? undefined : transferKey({ transactionId, position: transferPosition! })
}

/** True if the batch's inputs or sender sent the transfer; the same rule as `matchingTransfer` of matching-transfer.ts. */
function isFrom({ sender, outpoints, checkpoint }: Batch, { id, from, block }: Transfer): boolean {
  if (sender === null || checkpoint === null) return from.some(outpoint => outpoints.has(outpoint))
  const isLater =
    id > checkpoint.lastTransferId && (block === null || block.time >= checkpoint.medianTimePast)
  return isLater && from.includes(addressKey(sender))
}

/** The most confirmed first, the unconfirmed last. */
function byBlock(a: Transfer, b: Transfer): number {
  const height = ({ block }: Transfer) => block?.height ?? Number.MAX_SAFE_INTEGER
  return height(a) - height(b) || a.seenAt.getTime() - b.seenAt.getTime()
}

type Matches = {
  payment: Transfer | undefined
  /** Another transfer in a block that pays the same again. */
  second: Transfer | undefined
  others: readonly Transfer[]
  isConfirmed: boolean
}

function changesOfOpen(item: Item, { payment, second, others, isConfirmed }: Matches): Change[] {
  if (payment !== undefined) {
    const alerts = alertChanges(item, 'paid_twice', second)
    if (isConfirmed) return [...alerts, { kind: 'paid', item, transfer: payment }]
    const isKnown = ownKey(item) === transferKey(payment)
    return isKnown ? alerts : [...alerts, { kind: 'seen', item, transfer: payment }]
  }
  const dropped = item.transactionId === null ? [] : [{ kind: 'dropped', item } as const]
  return [...dropped, ...alertChanges(item, 'wrong_amount', others[0])]
}

/** A paid item stays paid: when its transaction disappears, we raise an alert and never reverse the posting. */
function changesOfPaid(item: Item, { payment, second }: Matches, all: readonly Transfer[]): Change[] {
  if (payment?.block == null) {
    const own = all.find(transfer => transferKey(transfer) === ownKey(item))
    return own === undefined ? [] : alertChanges(item, 'dropped', own)
  }
  const alerts = alertChanges(item, 'paid_twice', second)
  if (transferKey(payment) === ownKey(item)) return alerts
  return [...alerts, { kind: 'replaced', item, transfer: payment }]
}

/**
 * A released item must get no transfer but the one that staff marked the withdrawal as paid with.
 * @param suspects all unclaimed transfers of a cancelled batch; otherwise those that would have paid the item
 */
function changesOfReleased(item: Item, suspects: readonly Transfer[], all: readonly Transfer[]): Change[] {
  const paidBy = item.paidBy?.toLowerCase()
  const unexpected = suspects.find(({ isDropped, transactionId }) => !isDropped && transactionId !== paidBy)
  if (unexpected === undefined && mayReappear(item, all)) return []
  return alertChanges(item, paidBy === undefined ? 'paid_after_cancel' : 'paid_twice', unexpected)
}

/** True if the alert's transfer was dropped but may still confirm: somebody did broadcast it, so the alert stays. */
function mayReappear({ alertTransaction, paidBy, canStillConfirm }: Item, all: readonly Transfer[]): boolean {
  if (!canStillConfirm || alertTransaction === null || alertTransaction === paidBy?.toLowerCase())
    return false
  return !all.some(({ transactionId, isDropped }) => transactionId === alertTransaction && !isDropped)
}

function alertChanges(item: Item, kind: Alert['kind'], transfer: Transfer | undefined): Change[] {
  if (transfer === undefined) return item.alert === null ? [] : [{ kind: 'alert_cleared', item }]
  if (item.alert === kind && item.alertTransaction === transfer.transactionId) return []
  return [{ kind: 'alert', item, alert: { kind, transfer } }]
}
