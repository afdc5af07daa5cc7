import { type Selectable, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import {
  arrivalOf,
  type ToldRate,
  together,
  type Weighed,
  type WeighedPart,
  weighParts,
} from '#server/payments/arrival.ts'
import { awaiting, type Deposit, type Investment, lockPayment } from '#server/payments/locks.ts'
import { eachByItself } from '#server/payments/one-by-one.ts'
import { reverseTransfer } from '#server/payments/reverse.ts'
import { addToDeposit, type Credit, settleDeposit, withoutFlag } from '#server/payments/settle.ts'
import { tellDeclinedBy } from '#server/payments/tell.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { audit, type Origin } from '#server/records/audit.ts'
import { seenOf } from '#server/records/deposit-stage.ts'
import { isFrozen, requireUnfrozen } from '#server/records/frozen.ts'
import { notify } from '#server/records/notices.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { dustUnits } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, formatUsd, maxUsdCents } from '#shared/money.ts'
import { holdCursorOf } from './cursor.ts'
import { refreshSeen } from './seen.ts'
import { dueUnrequested, makeUnrequested } from './unrequested.ts'

type Transfer = Selectable<Schema['app.chain_transfers']>

/**
 * Credits what counts by now of a network and is not credited, and takes back what does not count any more: by what is written down
 * alone, so whatever ended the last look before it was done, it is done now, once.
 * @returns how many deposits (and addresses that none has yet) could not be assessed; the log says why, and all others were
 */
export async function assessDue(services: Services, method: DepositMethod): Promise<number> {
  const addresses = await eachByItself(services, {
    what: 'address',
    ids: (after, most) => dueUnrequested(services, method, { after, most }),
    act: (tx, address) => makeUnrequested(tx, services, address),
  })
  const deposits = await eachByItself(services, {
    what: 'deposit',
    ids: (after, most) => dueDeposits(services, method, { after, most }),
    act: (tx, id) => assessDeposit(tx, byItself(services), id),
  })
  return addresses.failed + deposits.failed
}

/** What the product does without anybody asking for it. */
export function byItself(services: Services): Assessing {
  return { services, caller: null, ip: null, requestId: null }
}

/** By somebody of the firm: the rate of what came while none was recorded, and what he was shown as seen. */
export type ToldByStaff = ToldRate & { seen?: string | null | undefined }

/** Who has something assessed: nobody, or whoever wants what has come credited as it is. */
export type Assessing = Origin & { services: Services }

const coinOf = { bitcoin: 'BTC', usdt: 'USDT', ethereum: 'ETH' } as const satisfies Record<
  DepositMethod,
  string
>

async function dueDeposits(
  { db, clock }: Services,
  method: DepositMethod,
  { after, most }: { after: string | undefined; most: number },
): Promise<string[]> {
  const dust = dustUnits[coinOf[method]]
  const { rows } = await sql<{ id: string }>`
    SELECT d.id
      FROM (
        SELECT t.address, true AS counts
          FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.method = c.method AND t.block_height <= c.height - c.confirmations + 1
         WHERE c.method = ${method} AND t.credited_by IS NULL AND t.set_aside IS NULL AND t.by_hand_units < t.units AND t.receiving
         UNION ALL
        -- What is in no block is known once everything was read.
        SELECT t.address, false
          FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.method = c.method AND t.block_height IS NULL
         WHERE c.method = ${method} AND c.height = c.tip_height AND (t.credited_by IS NOT NULL OR t.by_hand_units > 0)
      ) due
      JOIN app.payment_addresses a ON app.address_key(a.address) = due.address AND a.method = ${method}
      JOIN app.deposits d ON d.id = a.deposit_id
      JOIN app.users u ON u.id = d.user_id
     WHERE (NOT due.counts OR u.frozen_at IS NULL AND coalesce(d.assess_after, '-infinity') <= ${clock.now()} AND NOT (
             -- The rest is waited for, and its owner knows.
             d.status = 'pending' AND d.watch_until > ${clock.now()}
             AND d.crypto_units - d.open_units >=
                 CASE WHEN EXISTS (SELECT FROM app.investments i WHERE i.id = d.investment_id AND i.status = 'pending') THEN 1
                      ELSE ${dust}::bigint END
             AND EXISTS (SELECT FROM app.notifications n WHERE n.subject_id = d.id AND n.kind = 'deposit.short')))
       AND (${after ?? null}::uuid IS NULL OR d.id > ${after ?? null}::uuid)
     GROUP BY d.id
     ORDER BY d.id
     LIMIT ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Brings one deposit in line with what its network shows.
 * @param asIs credits what has come, although it is less than was asked for and the rest could still come
 * @param told by somebody of the firm who wants what came credited; it counts as his look where he was shown what is there now
 * @returns whether anything has changed
 * @throws AppError not_found; invalid_input where a rate has to be told first; wrong_state where more came than an amount can be, or
 *   what is large is not what he was shown
 */
export async function assessDeposit(
  tx: Tx,
  by: Assessing,
  id: string,
  { asIs = false, told }: { asIs?: boolean; told?: ToldByStaff } = {},
): Promise<boolean> {
  const cursor = await holdCursorOf(tx, id)
  if (cursor === undefined || cursor.stopped) return false
  // A fixed address is everybody's: whose a transfer there is, only people can say.
  if (!(await hasOwnAddress(tx, id))) return false
  let { deposit, investment } = await lockPayment(tx, id)
  let changed = false
  const transfers = await lockTransfers(tx, deposit)
  const isRead = cursor.height === cursor.tip_height
  // What was credited and is in no block may have been replaced: until all is read, nothing counts beside it.
  if (!isRead && transfers.some(isCreditedInNoBlock)) return false
  if (isRead && transfers.some(isCreditedInNoBlock)) {
    await takeBackGone(tx, by, deposit)
    changed = true
    ;({ deposit, investment } = await lockPayment(tx, id))
  }
  const counting = (await lockTransfers(tx, deposit)).filter(transfer => isOpen(transfer))
  const confirmed = counting.filter(
    ({ block_height }) => block_height !== null && block_height <= cursor.height - cursor.confirmations + 1,
  )
  const open = await withoutByHand(tx, by, { deposit, confirmed })
  if (deposit.by_hand_units > 0n) ({ deposit, investment } = await lockPayment(tx, id))
  if (open.length > 0) {
    const isAll = confirmed.length === counting.length
    const coming = counting.reduce((sum, transfer) => sum + transfer.units - transfer.by_hand_units, 0n)
    changed = (await creditOpen(tx, by, { deposit, investment, open, isAll, coming, asIs, told })) || changed
  }
  await refreshSeen(tx, [id])
  return changed
}

async function hasOwnAddress(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app.payment_addresses')
    .select('address')
    .where('deposit_id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

function isCreditedInNoBlock({ block_height, credited_by, by_hand_units }: Transfer): boolean {
  return block_height === null && (credited_by !== null || by_hand_units > 0n)
}

async function lockTransfers(tx: Tx, { method, address }: Deposit): Promise<Transfer[]> {
  return (
    tx
      .selectFrom('app.chain_transfers')
      .selectAll()
      .where('method', '=', method)
      .where('address', '=', addressKey(address))
      // Whoever sends thousands of dusts does not have them read here.
      .where(sql<boolean>`set_aside IS DISTINCT FROM 'dust'`)
      .orderBy('seen_at')
      .orderBy('id')
      .forUpdate()
      .execute()
  )
}

function isOpen({ credited_by, set_aside, gone_at, units, by_hand_units }: Transfer): boolean {
  return credited_by === null && set_aside === null && gone_at === null && by_hand_units < units
}

async function cover(tx: Tx, { id }: Transfer, units: bigint): Promise<void> {
  await tx
    .updateTable('app.chain_transfers')
    .set({ by_hand_units: units })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** What somebody of the firm has credited by his word is not on its network any more: that stands, and somebody has to look at it. */
async function uncover(
  tx: Tx,
  by: Assessing,
  { deposit, transfer }: { deposit: Deposit; transfer: Transfer },
): Promise<void> {
  await cover(tx, transfer, 0n)
  await tx
    .updateTable('app.deposits')
    .set({ flags: [...new Set([...deposit.flags, 'reversed' as const])], looked_at: null, looked_by: null })
    .set({ taken_back_units: deposit.taken_back_units + transfer.by_hand_units })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
  const details = { transactionId: transfer.transaction_id, creditedByHand: 'stands' }
  await audit(tx, by, { action: 'deposit.reversed', subject: { kind: 'deposit', id: deposit.id }, details })
}

/**
 * What somebody of the firm has credited by his word is what the network shows first, whatever transaction he named: only what is
 * beyond it is credited.
 */
async function withoutByHand(
  tx: Tx,
  by: Assessing,
  { deposit, confirmed }: { deposit: Deposit; confirmed: Transfer[] },
): Promise<Transfer[]> {
  if (deposit.by_hand_units === 0n) return confirmed
  const { covered } = await tx
    .selectFrom('app.chain_transfers')
    .select(({ fn }) => fn.coalesce(fn.sum<string>('by_hand_units'), sql<string>`0`).as('covered'))
    .where('method', '=', deposit.method)
    .where('address', '=', addressKey(deposit.address))
    .executeTakeFirstOrThrow()
  let left = deposit.by_hand_units - BigInt(covered)
  const open: Transfer[] = []
  for (const transfer of confirmed) {
    const free = transfer.units - transfer.by_hand_units
    const taken = free < left ? free : left
    left -= taken
    const byHandUnits = transfer.by_hand_units + taken
    if (taken > 0n) {
      await cover(tx, transfer, byHandUnits)
      await tellCovered(tx, by, { deposit, transfer, units: taken })
    }
    if (taken < free) open.push({ ...transfer, by_hand_units: byHandUnits })
  }
  const before = deposit.by_hand_units - BigInt(covered)
  if (left < before) await showAgain(tx, deposit, before - left)
  return open
}

/**
 * A transfer is not credited, since somebody had credited as much by his word. Where it came after that, under another name than he gave,
 * it may be another payment than he meant (he may have meant another coin, or what a contract has sent): somebody has to look at it.
 */
async function tellCovered(
  tx: Tx,
  by: Assessing,
  { deposit, transfer, units }: { deposit: Deposit; transfer: Transfer; units: bigint },
): Promise<void> {
  const { id, asset, settled_at, taken_back_units, transaction_id } = deposit
  const details = {
    creditedByHand: `${formatDecimal(units, assetDecimals[asset])} ${asset}`,
    transactions: [transfer.transaction_id],
  }
  await audit(tx, byItself(by.services), {
    action: 'deposit.covered',
    subject: { kind: 'deposit', id },
    details,
  })
  // What its network had taken back comes again.
  if (taken_back_units > 0n || transfer.transaction_id === transaction_id) return
  if (settled_at === null || transfer.seen_at <= settled_at) return
  await tx
    .updateTable('app.deposits')
    .set({
      flags: sql`array_append(array_remove(flags, 'by_hand'), 'by_hand')`,
      looked_at: null,
      looked_by: null,
    })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** What its network had taken back of what was credited by hand is there again. */
async function showAgain(tx: Tx, { id, taken_back_units }: Deposit, units: bigint): Promise<void> {
  if (taken_back_units === 0n) return
  const left = taken_back_units > units ? taken_back_units - units : 0n
  await tx
    .updateTable('app.deposits')
    .set({ taken_back_units: left, ...(left === 0n ? withoutFlag('reversed') : {}) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

type Open = {
  deposit: Deposit
  investment: Investment | null
  /** Confirmed, and not credited. */
  open: Transfer[]
  /** Whether nothing else is on its way. */
  isAll: boolean
  /** Units that are not credited, whether confirmed or not. */
  coming: bigint
  asIs: boolean
  told: ToldByStaff | undefined
}

async function creditOpen(tx: Tx, by: Assessing, of: Open): Promise<boolean> {
  const { deposit, investment, open, isAll, coming, asIs, told } = of
  const now = by.services.clock.now()
  const parts = open.map(transfer => ({
    transfer,
    units: transfer.units - transfer.by_hand_units,
    arrivedAt: arrivalOf(deposit, transfer),
  }))
  const units = parts.reduce((sum, part) => sum + part.units, 0n)
  const isWaited =
    deposit.status === 'pending' && now < deposit.watch_until && !isAllBut(deposit, investment, units)
  if (isWaited && units < deposit.crypto_units && !asIs) return isAll && tellShort(tx, deposit, now)
  // All of it was seen: the rest is waited for until it confirms or is gone, however late that is.
  const isComing =
    deposit.status === 'pending' && units < deposit.crypto_units && coming >= deposit.crypto_units
  if (isComing && !asIs) return false
  // What was taken back before stays so; what has come waits until the account is unfrozen.
  if (!asIs && (await isFrozen(tx, deposit.user_id))) return false
  await requireUnfrozen(tx, deposit.user_id)
  const weighed = await weighParts({ ...by.services, db: tx }, deposit, parts, told)
  const isWhole = weighed.length === parts.length
  if (!isWhole && !standsAlone(of, weighed)) return flagOpen(tx, deposit, { flag: 'rate_missing', now })
  const added = {
    units: weighed.reduce((sum, part) => sum + part.units, 0n),
    cents: weighed.reduce((sum, part) => sum + part.creditedCents, 0n),
    exchangedUnits: weighed.reduce((sum, part) => sum + part.exchangedUnits, 0n),
  }
  // Coins that are worth less than a cent are written down with what they are added to.
  if (added.cents === 0n && deposit.status !== 'paid') return putOff(tx, deposit.id, now)
  const whole = together(deposit, weighed)
  // What was seen in another state of it was not looked at.
  const isReviewed = told !== undefined && told.seen === seenOf(deposit)
  const isBeyond = isBeyondBounds(whole)
  if (isBeyond || (!isReviewed && needsReview(by, deposit, whole))) {
    if (told !== undefined) throw new AppError('wrong_state', isBeyond ? beyondBounds : seenSince)
    return flagOpen(tx, deposit, { flag: 'large', now })
  }
  const credit: Credit = {
    actor: by.caller?.userId ?? null,
    now,
    weighed: whole,
    transactionId: null,
    by: 'network',
    isReviewed,
  }
  const credited = weighed.map(({ transfer }) => transfer)
  const posting = await post(tx, by, { ...of, open: credited, credit, added })
  for (const part of weighed) await markCredited(tx, part, posting)
  if (!isWhole) await flagOpen(tx, deposit, { flag: 'rate_missing', now })
  return true
}

/** No amount in dollars can be larger, whatever a network shows and whoever wants it credited. */
function isBeyondBounds({ creditedCents }: Weighed): boolean {
  return creditedCents > maxUsdCents
}

const beyondBounds = `What its network shows is worth more than ${formatUsd(maxUsdCents)}, which no amount can be. Find out by another way what has come: the node may be wrong, or lie.`

const seenSince = 'Something else was seen meanwhile: look at the payment again.'

/**
 * Whether somebody of the firm looks first: what is credited of a deposit by the word of a node alone, all its transfers together and
 * beyond what was agreed to before, stays below the limit.
 */
function needsReview(
  { services }: Assessing,
  { reviewed_cents }: Deposit,
  { creditedCents }: Weighed,
): boolean {
  return creditedCents - reviewed_cents >= services.config.creditReviewCents
}

/**
 * Whether what can be weighed is credited without the rest, whose rate has to be told first. What pays an investment that still waits for
 * it has to cover that, unless somebody wants it as it is: else it would be declined for want of a rate.
 */
function standsAlone({ deposit, investment, asIs }: Open, weighed: readonly WeighedPart[]): boolean {
  if (weighed.length === 0 || asIs) return weighed.length > 0
  const paid = awaiting(investment)
  if (paid === null || paid.hold_id !== null || deposit.status === 'paid') return true
  return weighed.reduce((sum, part) => sum + part.creditedCents, 0n) >= paid.amount_cents
}

/** A rest that is dust cannot be sent by itself; an investment waits for it all the same, with something more. */
function isAllBut({ asset, crypto_units }: Deposit, investment: Investment | null, units: bigint): boolean {
  return awaiting(investment) === null && crypto_units - units < dustUnits[asset]
}

/** How long what cannot be credited is left alone, in minutes, unless something else comes. */
const PUT_OFF_MINUTES = 10

async function putOff(tx: Tx, id: string, now: Date): Promise<false> {
  await tx
    .updateTable('app.deposits')
    .set({ assess_after: new Date(now.getTime() + PUT_OFF_MINUTES * 60_000) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return false
}

type Crediting = Open & {
  credit: Credit
  added: { units: bigint; cents: bigint; exchangedUnits: bigint }
}

/** @returns the ledger's transaction */
async function post(
  tx: Tx,
  by: Assessing,
  { deposit, investment, credit, added, open }: Crediting,
): Promise<string> {
  const { now } = credit
  const subject = { kind: 'deposit', id: deposit.id }
  const details = detailsOf(deposit, { added, open, arrival: credit.weighed.arrival })
  if (deposit.status === 'paid') {
    const posting = await addToDeposit(tx, deposit, { ...credit, added })
    await audit(tx, by, { action: 'deposit.added', subject, details })
    if (added.cents > 0n) await notify(tx, 'deposit.added', deposit, now)
    return posting
  }
  const paid = awaiting(investment)
  const { posting, became } = await settleDeposit(tx, deposit, paid, credit)
  const moved = [deposit.status, 'paid'] as const
  await audit(tx, by, { action: 'deposit.credited', subject, moved, details })
  await notify(tx, deposit.flags.includes('reversed') ? 'deposit.added' : 'deposit.approved', deposit, now)
  await tellDeclinedBy(tx, by, { investment: paid, became, now })
  return posting
}

/** What the audit log keeps of it. */
function detailsOf(
  { asset, amount_cents }: Deposit,
  { added, open, arrival }: Pick<Crediting, 'added' | 'open'> & { arrival: string | null },
) {
  return {
    asked: formatUsd(amount_cents),
    credited: formatUsd(added.cents),
    received: `${formatDecimal(added.units, assetDecimals[asset])} ${asset}`,
    ...(arrival === null ? {} : { arrival }),
    transactions: open.map(({ transaction_id }) => transaction_id),
  }
}

async function markCredited(
  tx: Tx,
  { transfer, creditedCents, exchangedUnits, rateE8, rateSource, late }: WeighedPart & { transfer: Transfer },
  posting: string,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('app.chain_transfers')
    .set({
      credited_by: posting,
      credited_cents: creditedCents,
      exchanged_units: exchangedUnits,
      rate_e8: rateE8,
      rate_source: rateSource,
      late,
    })
    .where('id', '=', transfer.id)
    .where('credited_by', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Error(`transfer ${transfer.id} was credited already`)
}

/** Once: less than was asked for has come, and its owner can send the rest or have it credited. */
async function tellShort(tx: Tx, deposit: Deposit, now: Date): Promise<boolean> {
  const told = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('subject_id', '=', deposit.id)
    .where('kind', '=', 'deposit.short')
    .executeTakeFirst()
  if (told) return false
  await refreshSeen(tx, [deposit.id])
  await notify(tx, 'deposit.short', deposit, now)
  return true
}

/**
 * What is open waits for somebody of the firm, who hears of it once: for a rate, which nobody makes up and he says, and where it is from;
 * or for his look.
 */
async function flagOpen(
  tx: Tx,
  { id }: Deposit,
  { flag, now }: { flag: 'rate_missing' | 'large'; now: Date },
): Promise<boolean> {
  await putOff(tx, id, now)
  const { numUpdatedRows } = await tx
    .updateTable('app.deposits')
    .set({ flags: sql`array_append(flags, ${flag}::text)`, looked_at: null, looked_by: null })
    .where('id', '=', id)
    .where(sql<boolean>`NOT ${flag}::text = ANY (flags)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Takes back all that is in no block any more; one of them may take others along. */
async function takeBackGone(tx: Tx, by: Assessing, { id }: Deposit): Promise<void> {
  for (;;) {
    const { deposit } = await lockPayment(tx, id)
    const transfer = (await lockTransfers(tx, deposit)).find(isCreditedInNoBlock)
    if (transfer === undefined) return
    if (transfer.credited_by === null) await uncover(tx, by, { deposit, transfer })
    else {
      await takeBack(tx, by, { deposit, transfer })
      await takeBackWorthless(tx, by, id)
    }
  }
}

/** What was too little to be worth a cent goes with the last that was: it is credited again with what comes. */
async function takeBackWorthless(tx: Tx, { services }: Assessing, id: string): Promise<void> {
  const { deposit } = await lockPayment(tx, id)
  if (deposit.status !== 'pending') return
  for (const transfer of (await lockTransfers(tx, deposit)).filter(
    ({ credited_by }) => credited_by !== null,
  )) {
    const { deposit: left } = await lockPayment(tx, id)
    await reverseTransfer(tx, left, transfer, services.clock.now())
  }
}

async function takeBack(
  tx: Tx,
  by: Assessing,
  { deposit, transfer }: { deposit: Deposit; transfer: Transfer },
): Promise<void> {
  const now = by.services.clock.now()
  const { creditedCents, takenCents } = await reverseTransfer(tx, deposit, transfer, now)
  await audit(tx, byItself(by.services), {
    action: 'deposit.reversed',
    subject: { kind: 'deposit', id: deposit.id },
    details: {
      credited: formatUsd(creditedCents),
      taken: formatUsd(takenCents),
      ...(takenCents < creditedCents ? { shortfall: formatUsd(creditedCents - takenCents) } : {}),
      transactions: [transfer.transaction_id],
    },
  })
  await notify(tx, 'deposit.reversed', deposit, now)
}
