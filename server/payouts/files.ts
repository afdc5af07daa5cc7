import { createHash } from 'node:crypto'
import { audit } from '#server/audit/log.ts'
import type { Config } from '#server/config.ts'
import type { FileAnswer, SignedInContext, Tx } from '#server/context.ts'
import { openDebts, refuseDebt } from '#server/deposits/debt.ts'
import { listingsOf } from '#server/screening/listed.ts'
import { nameStops } from '#server/screening/name-stop.ts'
import { addressKey } from '#shared/addresses.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { type BatchRow, lockOpenBatch } from './batch.ts'
import type { Funded, Purpose } from './draft.ts'
import { type PayoutRefusal, payoutRefusals } from './messages.ts'
import { requireNoRestore } from './restored.ts'
import { sendersOf } from './wallets.ts'

/** Stores the payments of a new batch, one for each transaction of its first file. */
export async function insertPayments(tx: Tx, id: string, { drafts }: Funded): Promise<void> {
  const payments = drafts.map(({ payment, sender, expiresAt }) => ({
    batch_id: id,
    position: payment,
    sender,
    expires_at: expiresAt,
  }))
  await tx.insertInto('app.payout_payments').values(payments).execute()
}

/** Stores a file with its drafts, and holds slots that are new. */
export async function insertFile(
  tx: Tx,
  { services, caller }: SignedInContext,
  { id, version, purpose }: { id: string; version: number; purpose: Purpose },
  { file, fee, change, drafts }: Funded,
): Promise<void> {
  await tx
    .insertInto('app.payout_files')
    .values({
      batch_id: id,
      version,
      purpose,
      name: file.name,
      type: file.type,
      content: file.content,
      sha256: sha256(file.content),
      fee_rate: fee.rate,
      fee_units: fee.units,
      change_address: change?.address ?? null,
      change_units: change?.units ?? null,
      created_by: caller.userId,
      created_at: services.clock.now(),
    })
    .execute()
  const rows = drafts.map(({ payment, plan, plannedId, slots: used }) => ({
    batch_id: id,
    payment,
    version,
    plan: Buffer.from(plan),
    slots: used.map(({ slot }) => slot),
    planned_id: plannedId,
  }))
  await tx.insertInto('app.payout_drafts').values(rows).execute()
  const slots = drafts.flatMap(({ payment, slots: held }) =>
    held.map(({ slot, units }) => ({ batch_id: id, payment, slot, version, units })),
  )
  await tx
    .insertInto('app.payout_slots')
    .values(slots)
    .onConflict(conflict => conflict.columns(['batch_id', 'slot']).doNothing())
    .execute()
}

/**
 * A file of a batch, the latest by default; the audit log keeps each download.
 * @throws AppError not_found, ended, and as `requirePayable`
 */
export async function exportFile(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  version: number | undefined,
): Promise<FileAnswer> {
  const batch = await lockOpenBatch(tx, id, 'downloaded')
  const file = await tx
    .selectFrom('app.payout_files')
    .select(['version', 'purpose', 'name', 'type', 'content', 'sha256', 'exported_at'])
    .where('batch_id', '=', id)
    .$if(version !== undefined, query => query.where('version', '=', version!))
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!file) throw new AppError('not_found', t('There is no such payout file'))
  if (file.purpose !== 'cancellation') {
    await requireNoRestore(tx, ctx.services.config)
    if (batch.cancelled_at !== null) throw payoutRefusals.error({ reason: 'being_cancelled' })
    await requirePayable(tx, ctx, batch)
  }
  await tx
    .updateTable('app.payout_files')
    .set({ exported_at: file.exported_at ?? ctx.services.clock.now() })
    .where('batch_id', '=', id)
    .where('version', '=', file.version)
    .executeTakeFirstOrThrow()
  const details = { file: file.name, sha256: file.sha256.toString('hex') }
  await audit(tx, ctx, { action: 'payout.exported', subject: { kind: 'payout', id }, details })
  return { name: file.name, content: file.content, type: file.type }
}

/**
 * Requires that what a batch has open may be paid now.
 * @throws AppError former_payout_address, expired, payee_frozen, payee_listed, payee_stopped, debt_open
 */
export async function requirePayable(tx: Tx, ctx: SignedInContext, batch: BatchRow): Promise<void> {
  const { id } = batch
  const { config, clock } = ctx.services
  const payees = await openPayees(tx, id)
  const refusal =
    formerAddress(batch, config) ??
    (await expiredRefusal(tx, id, clock.now())) ??
    frozenPayee(payees) ??
    (await listedPayee(tx, payees))
  if (refusal) throw payoutRefusals.error(refusal)
  const owners = payees.map(({ user_id }) => user_id)
  const stops = await nameStops(tx, owners)
  const debts = await openDebts(tx, owners)
  for (const { user_id, invoice_id: invoice } of payees) {
    const cause = stops.get(user_id)?.words
    if (cause !== undefined) throw payoutRefusals.error({ reason: 'payee_stopped', invoice, cause })
    const nextStep = t('Cancel this batch, decline {invoice}, and pay the other withdrawals in a new one.', {
      invoice,
    })
    refuseDebt(debts.get(user_id), nextStep)
  }
}

/** A payout spends what a former payout address still has; a sweep must not send more there. */
function formerAddress(
  { purpose, rail, sender: address }: BatchRow,
  config: Pick<Config, 'rails'>,
): PayoutRefusal | null {
  if (purpose !== 'sweep' || address === null || sendersOf(config, rail).includes(address)) return null
  return { reason: 'former_payout_address', address }
}

async function expiredRefusal(tx: Tx, id: string, now: Date): Promise<PayoutRefusal | null> {
  const { expires } = await tx
    .selectFrom('app.payout_payments')
    .select(({ fn }) => fn.min<Date | null>('expires_at').as('expires'))
    .where('batch_id', '=', id)
    .executeTakeFirstOrThrow()
  return expires === null || now < expires ? null : { reason: 'expired', expiredAt: expires }
}

function frozenPayee(payees: readonly Payee[]): PayoutRefusal | null {
  const frozen = payees.find(({ frozen_at }) => frozen_at !== null)
  return frozen ? { reason: 'payee_frozen', invoice: frozen.invoice_id } : null
}

async function listedPayee(tx: Tx, payees: readonly Payee[]): Promise<PayoutRefusal | null> {
  const listings = await listingsOf(
    tx,
    payees.map(({ address }) => address),
  )
  for (const { invoice_id: invoice, address } of payees) {
    const listing = listings.get(addressKey(address))
    if (listing) return { reason: 'payee_listed', invoice, ...listing }
  }
  return null
}

type Payee = Awaited<ReturnType<typeof openPayees>>[number]

function openPayees(tx: Tx, id: string) {
  return tx
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .select(['w.invoice_id', 'w.user_id', 'w.address', 'u.frozen_at'])
    .where('p.batch_id', '=', id)
    .where('p.state', '=', 'open')
    .orderBy('p.position')
    .execute()
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
