import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { emailAdmins, lockAdmins } from '#server/staff/admins.ts'
import { paymentMethods, type RailName } from '#shared/coins.ts'
import type { Outgoing } from '#shared/contract/payouts.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { payoutWatchDays } from '#shared/limits.ts'
import { unexplainedAdvice } from '#shared/unexplained.ts'
import { payoutRefusals } from './messages.ts'

/**
 * Money that left our addresses, or a nonce of theirs that was used, although no payout says so: a transfer by hand, a
 * module of a Safe, or a thief with a key.
 */
type Row = {
  rail: RailName
  transactionId: string
  sender: string | null
  seenAt: Date
  mined: boolean
  bySafe: boolean
  /** null: nobody has explained it, or not all that it used. */
  explanation: Outgoing['explanation']
}

/**
 * True if no payout explains use `s` of a slot: it is none of the planned transactions, and pays no withdrawal as planned.
 * On Bitcoin the plan alone explains it: another one could give the change away. A mempool of Ethereum does not always show
 * what a transaction pays, so it waits for the block. What pays for a void payment after all, after a reorg, may pay twice.
 */
const hasNoPayout = sql<boolean>`(s.dropped_at IS NULL AND NOT EXISTS (
  SELECT FROM app.payout_slots k
    JOIN app.payout_payments p ON p.batch_id = k.batch_id AND p.position = k.payment
   WHERE k.slot = s.slot
     AND (EXISTS (SELECT FROM app.payout_drafts d
                    JOIN app.payout_files f ON f.batch_id = d.batch_id AND f.version = d.version
                   WHERE d.batch_id = p.batch_id AND d.payment = p.position
                     AND (s.transaction_id IN (d.planned_id, d.transaction_id) OR s.safe_tx_hash = d.planned_id)
                     AND (p.status <> 'void' OR f.purpose = 'cancellation'))
          OR s.rail = 'ethereum' AND (s.block_height IS NULL AND k.held
             OR EXISTS (SELECT FROM app.payout_items i
                         WHERE i.batch_id = p.batch_id AND i.payment = p.position AND i.transaction_id = s.transaction_id)))))`

/** True if the sender of use `s` of a slot is a Safe. */
const isBySafe = sql<boolean>`EXISTS (
  SELECT FROM app.sender_nonces n WHERE n.rail = s.rail AND n.address = s.sender AND n.safe_version IS NOT NULL)`

/** The admins know of it, and no two of them have explained it. */
export const isUnexplained = sql<boolean>`(s.told_at IS NOT NULL AND s.confirmed_at IS NULL AND ${hasNoPayout})`

/** What was written about the uses `s` of a transaction, by `u`; null unless it was about all of them. */
const explanation = sql<Outgoing['explanation']>`
  CASE WHEN bool_and(s.reviewed_at IS NOT NULL) THEN (array_agg(json_build_object(
    'reason', s.review_note, 'by', u.name, 'userId', u.id, 'at', s.reviewed_at) ORDER BY s.reviewed_at))[1] END`

/** The most that an email names. */
const MOST_NAMED = 10
/** The most that the console lists. */
const MOST = 100

/** Transactions that nobody has explained, the oldest first: later ones never push one off the list. */
export async function outgoingList(db: Kysely<Schema>): Promise<Outgoing[]> {
  const { rows } = await sql<Row>`
    SELECT s.rail, s.transaction_id AS "transactionId", min(s.sender) AS sender, min(s.seen_at) AS "seenAt",
           bool_or(s.block_height IS NOT NULL) AS mined, bool_or(${isBySafe}) AS "bySafe", ${explanation} AS explanation
      FROM app.chain_spends s
      LEFT JOIN app.users u ON u.id = s.reviewed_by
     WHERE ${isUnexplained}
     GROUP BY s.rail, s.transaction_id
     ORDER BY min(s.seen_at), s.transaction_id
     LIMIT ${MOST}`.execute(db)
  return rows.map(({ seenAt, explanation: said, ...row }) => ({
    ...row,
    seenAt: seenAt.toISOString(),
    explanation: said && { ...said, at: new Date(said.at).toISOString() },
  }))
}

/** The number of such transactions on each network that has some. */
export async function unexplainedCounts(db: Kysely<Schema>): Promise<Map<RailName, number>> {
  const { rows } = await sql<{ rail: RailName; count: number }>`
    SELECT s.rail, count(DISTINCT s.transaction_id)::integer AS count
      FROM app.chain_spends s WHERE ${isUnexplained} GROUP BY s.rail`.execute(db)
  return new Map(rows.map(({ rail, count }) => [rail, count]))
}

/**
 * Records who made a transaction and why, in the place of what was written before. Its alarm goes on until a second person confirms it:
 * a thief could explain it too. No amount decides that, because slots show none. No money moves.
 * @throws AppError nothing_unexplained
 */
export async function explainOutgoing(
  tx: Tx,
  ctx: SignedInContext,
  { rail, transactionId, reason }: { rail: RailName; transactionId: string; reason: string },
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('app.chain_spends as s')
    .set({ reviewed_at: ctx.services.clock.now(), reviewed_by: ctx.caller.userId, review_note: reason })
    .where('s.rail', '=', rail)
    .where('s.transaction_id', '=', transactionId)
    .where(isUnexplained)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw payoutRefusals.error({ reason: 'nothing_unexplained' })
  await audit(tx, ctx, {
    action: 'payout.outgoing_explained',
    reason,
    details: { network: rail, transactionId },
  })
}

/**
 * Confirms what somebody else wrote, and so ends the alarm.
 * @param explainedAt when what the caller has read was written
 * @throws AppError nothing_unexplained, explanation_changed, same_approver
 */
export async function confirmOutgoing(
  tx: Tx,
  ctx: SignedInContext,
  { rail, transactionId, explainedAt }: { rail: RailName; transactionId: string; explainedAt: string },
): Promise<void> {
  const uses = await tx
    .selectFrom('app.chain_spends as s')
    .select(['s.slot', 's.reviewed_at', 's.reviewed_by', 's.review_note'])
    .where('s.rail', '=', rail)
    .where('s.transaction_id', '=', transactionId)
    .where(isUnexplained)
    .orderBy('s.slot')
    .forUpdate()
    .execute()
  const [first] = uses
  if (first === undefined) throw payoutRefusals.error({ reason: 'nothing_unexplained' })
  const isRead = uses.every(({ reviewed_at }) => reviewed_at?.toISOString() === explainedAt)
  if (!isRead) throw payoutRefusals.error({ reason: 'explanation_changed' })
  if (uses.some(({ reviewed_by }) => reviewed_by === ctx.caller.userId))
    throw new AppError('same_approver', t('You wrote this explanation. A second person must confirm it.'))
  await tx
    .updateTable('app.chain_spends')
    .set({ confirmed_at: ctx.services.clock.now(), confirmed_by: ctx.caller.userId })
    .where('rail', '=', rail)
    .where('transaction_id', '=', transactionId)
    .where(
      'slot',
      'in',
      uses.map(({ slot }) => slot),
    )
    .execute()
  await audit(tx, ctx, {
    action: 'payout.outgoing_confirmed',
    details: { network: rail, transactionId, explanation: first.review_note },
  })
}

/**
 * Emails the admins about transactions that nobody has explained, once each, and logs them.
 * @returns how many they were told of
 */
export async function tellOfOutgoing(services: Services, rail: RailName): Promise<number> {
  return services.db.transaction().execute(async tx => {
    const { rows } = await sql<{ transaction_id: string; by_safe: boolean }>`
      UPDATE app.chain_spends s SET told_at = ${services.clock.now()}
       WHERE s.rail = ${rail} AND s.told_at IS NULL AND ${hasNoPayout}
         AND s.seen_at > ${services.clock.now()}::timestamptz - make_interval(days => ${payoutWatchDays})
       RETURNING s.transaction_id, ${isBySafe} AS by_safe`.execute(tx)
    const ids = [...new Set(rows.map(row => row.transaction_id))]
    const admins = ids.length === 0 ? [] : await lockAdmins(tx)
    for (const transactionId of ids) {
      services.log.error({ rail, transactionId }, 'money left our addresses, and no payout explains it')
    }
    if (ids.length === 0) return 0
    const shown = ids.slice(0, MOST_NAMED).join(', ')
    const more = ids.length - MOST_NAMED
    await emailAdmins(tx, { services }, admins, () => ({
      subject: t('Unexplained transactions on {network}', { network: paymentMethods[rail].label }),
      paragraphs: [
        t(
          'The network shows these transactions of our addresses, and no payout explains them: {transactions}.',
          {
            transactions:
              more > 0 ? t('{transactions} and {count} more', { transactions: shown, count: more }) : shown,
          },
        ),
        t('If one of you made them, write in the console why. A second person must confirm it there.'),
        ...unexplainedAdvice(rows.map(({ by_safe }) => ({ rail, bySafe: by_safe }))),
      ],
      action: { label: t('Open the console'), path: '/admin/payouts#outgoing' },
    }))
    return ids.length
  })
}
