import { sql } from 'kysely'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { type DebtColumns, debtIn, joinDebt, refuseDebt } from '#server/deposits/debt.ts'
import { payoutRefusals } from '#server/payouts/messages.ts'
import {
  found,
  lockWithdrawals,
  type Settlement,
  settleWithdrawals,
  transactionReused,
} from '#server/payouts/pay.ts'
import { type Sifted, sift } from '#server/queries/sift.ts'
import { requireOther, requireStatus } from '#server/queries/status.ts'
import { ownerRefusals, ownerStopped } from '#server/screening/messages.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { formatUsd } from '#shared/money.ts'
import { entryKey, type Listing, type NameStop } from '#shared/sanctions.ts'
import { canonicalTransactionId, transactionIdError } from '#shared/transactions.ts'
import { withdrawalRefusals } from './messages.ts'
import { otherDeciders, type WithdrawalRow } from './queries.ts'

export type ManualPayment = {
  /** The withdrawal's. */
  id: string
  by: SignedInContext
  transactionId: string
  /** Attests that the coins have left, although the investor has a debt, or the address or their name is listed. */
  sent?: boolean | undefined
  /** Required if a batch was to pay it: its wallet used another slot. */
  reason?: string | undefined
}

type Facts = Pick<WithdrawalRow, 'id' | 'user_name' | 'approvals'> &
  DebtColumns & {
    /** The caller approved it. */
    approved: boolean
    /** Number of the batch that may pay it; and if one was to. */
    batch: string | null
    batched: boolean
    /** The transaction paid another withdrawal to the same address. */
    reused: boolean
    listing: Listing | null
    stop: NameStop | null
  }

/**
 * approved → paid manually, with the ids of the transactions that paid them; refused while a batch may pay one.
 * @returns those paid, as they are now, and refusals, which have changed nothing: not_found, own_request, same_approver, wrong_state,
 * transaction_reused; invalid_input if the coin has no such ids
 * @throws AppError transaction_reused if two of them, or a concurrent payment, use one transaction for one address
 */
export async function payWithdrawals(
  tx: Tx,
  { clock }: Services,
  payments: readonly ManualPayment[],
): Promise<Sifted<WithdrawalRow>> {
  const byId = new Map(payments.map(payment => [payment.id, payment]))
  const withdrawals = await lockWithdrawals(tx, [...byId.keys()])
  const facts = await factsOf(tx, payments)
  const { decided, refused } = await sift([...byId.keys()], async (id): Promise<Settlement> => {
    const { by, transactionId: typedId, sent = false, reason } = byId.get(id)!
    const withdrawal = found(withdrawals, id)
    const known = facts.get(id)!
    const { approved, batch, batched, reused, listing, stop } = known
    requireOther('withdrawal', withdrawal.user_id, by.caller.userId)
    requireStatus('withdrawal', withdrawal, 'paid')
    if (approved) throw await approvedByPayer(tx, by)
    const debt = debtIn(known)
    if (!sent) refuseDebt(debt, declineUnlessSent())
    if (!sent && listing) throw withdrawalRefusals.error({ reason: 'listed_unless_sent', ...listing })
    if (!sent && stop) throw ownerUnlessSent(known.user_name, stop)
    const transactionId = transactionOf(withdrawal, typedId)
    if (batch !== null) throw payoutRefusals.error({ reason: 'in_open_batch', number: batch })
    if (reason === undefined && batched) throw reasonNeeded()
    if (reused) throw transactionReused()
    const against = {
      ...(debt && { debt: formatUsd(debt.totalCents) }),
      ...(listing && { listed: entryKey(listing) }),
      ...(stop && { owner: stop.why === 'uncompared' ? stop.why : entryKey(stop) }),
    }
    return { by, withdrawal, transactionId, ...((debt || listing || stop) && { details: against }) }
  })
  const paid = decided.length > 0 ? await settleWithdrawals(tx, decided, clock.now()) : []
  // A withdrawal of a batch is not paid by hand, unless the batch has released it.
  return { decided: paid.map(row => ({ ...row, ...facts.get(row.id)!, batch: null })), refused }
}

async function factsOf(tx: Tx, payments: readonly ManualPayment[]): Promise<Map<string, Facts>> {
  const ids = payments.map(({ id }) => id)
  const payers = payments.map(({ by }) => by.caller.userId)
  const transactions = payments.map(({ transactionId }) => canonicalTransactionId(transactionId))
  const { rows } = await sql<Facts>`
    SELECT w.id, (SELECT u.name FROM app.users u WHERE u.id = w.user_id) AS user_name,
           (SELECT count(*) FROM app.withdrawal_approvals a WHERE a.withdrawal_id = w.id)::int AS approvals,
           EXISTS (SELECT FROM app.withdrawal_approvals a JOIN app.users u ON u.id = a.admin_id AND u.holder = a.holder
                    WHERE a.withdrawal_id = w.id AND a.admin_id = paid.payer) AS approved,
           (SELECT b.number FROM app.payout_items p JOIN app.payout_batches b ON b.id = p.batch_id
             WHERE p.withdrawal_id = w.id AND p.state = 'open') AS batch,
           EXISTS (SELECT FROM app.payout_items p WHERE p.withdrawal_id = w.id) AS batched,
           EXISTS (SELECT FROM app.withdrawals o
                    WHERE lower(o.transaction_id) = lower(paid.transaction_id) AND o.wallet = w.wallet
                      AND lower(o.address) = lower(w.address)) AS reused,
           app.listing_of(w.address) AS listing, app.name_stop(w.user_id) AS stop, debt.*
      FROM unnest(${ids}::uuid[], ${payers}::uuid[], ${transactions}::text[]) AS paid (id, payer, transaction_id)
      JOIN app.withdrawals w ON w.id = paid.id
           ${joinDebt(sql.ref('w.user_id'))}`.execute(tx)
  return new Map(rows.map(row => [row.id, row]))
}

/** The approval and the word that it was paid come from two people: there is no other evidence of a manual payment. */
async function approvedByPayer(tx: Tx, { caller }: SignedInContext): Promise<AppError> {
  const others = await otherDeciders(tx, caller.userId)
  return new AppError(
    'same_approver',
    others > 0 ? translate(payerApproved) : `${translate(payerApproved)} ${translate(nobodyElse)}`,
  )
}

const payerApproved = msg('You approved this withdrawal, so a second person must mark it as paid.')
const nobodyElse = msg('Nobody else here may: first invite another member with the role Admin or Finance.')

function ownerUnlessSent(name: string | null, stop: NameStop): AppError {
  const cause = ownerRefusals.words(ownerStopped(name, stop))
  return withdrawalRefusals.error({ reason: 'owner_unless_sent', cause })
}

function declineUnlessSent(): string {
  return t(
    'Decline this withdrawal; the released hold will repay the debt. If its coins have already been sent, confirm that.',
  )
}

function reasonNeeded(): AppError {
  const message = t('A batch was to pay this withdrawal: write why it is paid by hand')
  return new AppError('invalid_input', message, { fields: { reason: message } })
}

function transactionOf({ wallet }: { wallet: string }, typedId: string): string {
  const error = transactionIdError(wallet as WithdrawalWallet, typedId)
  if (error !== undefined) throw new AppError('invalid_input', error, { fields: { transactionId: error } })
  return canonicalTransactionId(typedId)
}
