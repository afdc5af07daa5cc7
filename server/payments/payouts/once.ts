import { type Kysely, sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import { requireNoDebt } from '#server/payments/shortfall.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { may, type Role } from '#shared/roles.ts'
import type { BatchOnFile } from './batch.ts'
import { cameFor, hasCome, hasComeOf, hasGone } from './came.ts'
import { hasEnded, requireUnexpired } from './expiry.ts'
import { isSpent } from './given-out.ts'
import { isLookedAt } from './looked-at.ts'

/**
 * What keeps a withdrawal from being paid twice. A signed transaction stays valid wherever it is: one that was given up must either be
 * impossible by the rules of the network, or be known not to have been sent, by whoever alone could send it.
 */

/**
 * Whether a batch under way can be cancelled.
 * @throws AppError wrong_state, saying what to do
 */
export async function requireUnsent(tx: Tx, ctx: SignedInContext, batch: BatchOnFile): Promise<void> {
  const isLooked = await wasLookedAt(tx, ctx, batch)
  if (!(await isKnownUnsent(tx, ctx, batch))) requireLook(isLooked)
}

/**
 * Whether it is known without a look at the network that a batch was not sent: nobody had its file, or nothing of it can be mined.
 * @returns false where only its holder's word says so
 * @throws AppError wrong_state where something of it was seen, or the caller is not its holder
 */
export async function isKnownUnsent(
  tx: Kysely<Schema>,
  ctx: SignedInContext,
  batch: BatchOnFile,
): Promise<boolean> {
  if (batch.sender === null) {
    if (await isImpossible(tx, batch.id)) return true
    if (batch.seen_at !== null || (await hasComeOf(tx, batch.id))) {
      throw new AppError(
        'wrong_state',
        'The transaction of this batch was seen on the network, so it can still be mined. It cannot be cancelled until another one that spends one of its outputs has all its confirmations.',
      )
    }
  } else if (await hasEnded(tx, batch.id, ctx.services.clock.now())) return true
  else await requireNothingSeen(tx, batch.id)
  if (batch.exported_at === null) return true
  if (batch.assignee_id !== ctx.caller.userId) {
    const name = await nameOf(tx, batch.assignee_id)
    throw new AppError(
      'wrong_state',
      `The file of this batch was downloaded: only ${name}, who holds it, knows that it was not sent and can cancel it.`,
    )
  }
  return false
}

/**
 * Elsewhere than on Bitcoin each withdrawal has a transaction of its own. One that was dropped can still be mined, but for one of
 * Ethereum whose nonce another transaction has used.
 */
async function requireNothingSeen(tx: Kysely<Schema>, id: string): Promise<void> {
  const seen = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .select(['p.transaction_id', 'p.alert', cameFor.as('came')])
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .where(sql<boolean>`${replaced} IS NOT TRUE`)
    .where(
      sql<boolean>`(p.seen_transaction IS NOT NULL OR p.alert IS NOT NULL OR ${cameFor} IS NOT NULL OR ${hasGone})`,
    )
    .orderBy('p.transaction_id', order => order.asc().nullsFirst())
    .orderBy('came', order => order.asc().nullsFirst())
    .limit(1)
    .executeTakeFirst()
  if (!seen) return
  if (seen.transaction_id === null && seen.alert === 'wrong_amount') {
    throw new AppError(
      'wrong_state',
      'Another amount than was to be paid came for a withdrawal of this batch. Make up for it and mark that withdrawal as paid by hand; what has not been sent can be given up then.',
    )
  }
  throw new AppError(
    'wrong_state',
    seen.transaction_id === null && seen.came === null
      ? 'A transfer of this batch was seen and is not on the chain now. It can still be mined, so the batch cannot be cancelled. Bring the same signed transaction to the network once more, which pays once however often it is sent; do not sign another one. Then wait until it is marked as paid.'
      : 'Transfers of this batch are on the chain and not settled yet. Wait until they are marked as paid; what has not been sent can be given up then.',
  )
}

/**
 * Of an open item `p` of batch `b`: whether its nonce was used, as deep as a payment counts, by a transaction that pays nothing to its
 * address: a network takes one transaction of an address for each nonce (Yellow Paper, 6), so what was signed with it for this item is never
 * mined.
 */
const replaced = sql<boolean>`(p.nonce IS NOT NULL AND p.transaction_id IS NULL AND p.alert IS NULL AND ${cameFor} IS NULL
  AND p.nonce < (SELECT n.confirmed_nonce FROM app.sender_nonces n WHERE n.method = 'ethereum' AND n.address = p.sender))`

/** Whether a Bitcoin batch can never be mined: one of its outpoints was spent by a transaction that pays none of what is open of it. */
async function isImpossible(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM app.payout_batches b WHERE b.id = ${id} AND ${isSpent} AND NOT ${hasCome}`.execute(
      db,
    )
  return rows.length > 0
}

/**
 * Whether somebody else may hold a batch under way. Where it was downloaded, two could sign it: of one PSBT whatever they send
 * conflicts, of separate transfers both are paid where a wallet does not keep to the file.
 * @throws AppError wrong_state, saying what to do
 */
export async function requireOneSigner(tx: Kysely<Schema>, batch: BatchOnFile): Promise<void> {
  if (batch.exported_at === null && batch.seen_at === null) return
  const holder = await tx
    .selectFrom('app.users')
    .select(['name', 'role'])
    .where('id', '=', batch.assignee_id)
    .executeTakeFirstOrThrow()
  if (!mayPay(holder.role)) return
  if (batch.seen_at !== null) {
    throw new AppError('wrong_state', 'This batch was broadcast already: there is nothing to sign any more.')
  }
  if (batch.sender === null) return
  throw new AppError(
    'wrong_state',
    `${holder.name} has downloaded the file of this batch, and what two people sign of it is paid twice. Ask ${holder.name} to send it or to cancel it.`,
  )
}

function mayPay(role: Role | null): boolean {
  return may(role, 'decide')
}

/**
 * Whether a holder may have a batch's file. That of separate transfers can be signed twice, so it is given to one person, and again only
 * while nothing of it was seen.
 * @throws AppError wrong_state, saying what to do
 */
export async function requireUnsigned(
  tx: Tx,
  ctx: SignedInContext,
  batch: Pick<BatchOnFile, 'id' | 'method' | 'sender' | 'exported_at' | 'seen_at' | 'expires_at'>,
): Promise<void> {
  await requireUnflagged(tx, batch.id)
  await requireNoneFrozen(tx, batch.id)
  await requireNoneOwing(tx, batch.id)
  requireUnexpired(batch, ctx.services.clock.now())
  if (batch.sender === null) return
  const isLooked = await wasLookedAt(tx, ctx, batch)
  if (batch.seen_at !== null || (await hasComeOf(tx, batch.id))) {
    throw new AppError(
      'wrong_state',
      'Transfers of this batch were seen on the network: its file is not given out any more, so that none of them is sent twice.',
    )
  }
  if (batch.exported_at === null) return
  if (await wasExportedByAnother(tx, ctx, batch.id)) {
    throw new AppError(
      'wrong_state',
      'Somebody else has downloaded the file of this batch before, and what is signed twice is paid twice. Cancel it, and make another one.',
    )
  }
  requireLook(isLooked)
}

async function wasExportedByAnother(tx: Tx, { caller }: SignedInContext, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app.audit_log')
    .select('id')
    .where('subject_kind', '=', 'payout')
    .where('subject_id', '=', id)
    .where('action', '=', 'payout.exported')
    .where('actor_id', '<>', caller.userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** An account that has to stand still is paid nothing. */
async function requireNoneFrozen(tx: Tx, id: string): Promise<void> {
  const frozen = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .select('w.invoice_id')
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .where('u.frozen_at', 'is not', null)
    .orderBy('p.position')
    .limit(1)
    .executeTakeFirst()
  if (!frozen) return
  throw new AppError(
    'wrong_state',
    `The account that ${frozen.invoice_id} pays is frozen. Cancel this batch, and pay the other withdrawals by a new one.`,
  )
}

/** Nor is one whose credited payment its network has taken back. */
async function requireNoneOwing(tx: Tx, id: string): Promise<void> {
  const paid = await tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['w.invoice_id', 'w.user_id'])
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .orderBy('p.position')
    .execute()
  for (const { user_id, invoice_id } of paid) {
    const todo = `Cancel this batch, decline ${invoice_id}, and pay the other withdrawals by a new one.`
    await requireNoDebt(tx, user_id, todo)
  }
}

/** What came of a withdrawal by another batch has to be looked at before it is paid by this one. */
async function requireUnflagged(tx: Tx, id: string): Promise<void> {
  const withdrawals = await tx
    .selectFrom('app.payout_items')
    .select('withdrawal_id')
    .where('batch_id', '=', id)
    .where('state', '=', 'open')
    .execute()
  await requireNothingCame(
    tx,
    withdrawals.map(({ withdrawal_id }) => withdrawal_id),
    id,
  )
}

/**
 * Withdrawals for which something has come by a batch that does not pay them any more.
 * @param except the batch that is to pay them @throws AppError wrong_state
 */
export async function requireNothingCame(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  except: string | null = null,
): Promise<void> {
  if (withdrawals.length === 0) return
  const came = await db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .select(['b.number', 'w.invoice_id'])
    .where('p.withdrawal_id', 'in', [...withdrawals])
    .where(sql<boolean>`(p.alert IS NOT NULL OR p.state = 'released' AND ${cameFor} IS NOT NULL)`)
    .$if(except !== null, query => query.where('p.batch_id', '<>', except!))
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  if (!came) return
  throw new AppError(
    'wrong_state',
    `Batch ${came.number} was cancelled, and what was seen on the network pays ${came.invoice_id} all the same. Look at that batch first: do not pay it twice.`,
  )
}

/**
 * That nothing was seen means something only where somebody looks: since the file was given out, to the tip, and lately. To be asked
 * before what was seen is: of a look that is committed in between, what it saw is asked too.
 */
function wasLookedAt(
  tx: Tx,
  { services }: SignedInContext,
  { method, exported_at }: Pick<BatchOnFile, 'method' | 'exported_at'>,
): Promise<boolean> {
  return isLookedAt(tx, method, { now: services.clock.now(), since: exported_at })
}

/** @throws AppError wrong_state */
function requireLook(isLooked: boolean): void {
  if (isLooked) return
  throw new AppError(
    'wrong_state',
    'The network has not been looked at to its end since the file was downloaded, or not lately, so it is not known whether it was sent. Wait for the next look; if the console shows a fault of the network, mend that first.',
  )
}

async function nameOf(tx: Kysely<Schema>, id: string): Promise<string> {
  const { name } = await tx
    .selectFrom('app.users')
    .select('name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return name
}
