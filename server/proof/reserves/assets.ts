import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { refuseFutureDay } from '#server/queries/future-day.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { reserveRefusals } from './messages.ts'

/** Assets that are on no network: one person states them, another confirms them. */

export type StatedAsset = {
  title: string
  amountCents: bigint
  /** YYYY-MM-DD */
  asOf: string
  sha256: string
  source: string
}

/** @returns its id @throws AppError invalid_input, wrong_state */
export async function stateAsset(tx: Tx, ctx: SignedInContext, asset: StatedAsset): Promise<string> {
  const now = ctx.services.clock.now()
  refuseFutureDay('asOf', asset.asOf, now)
  const id = newId(now)
  const { title, source, amountCents, asOf, sha256 } = asset
  await tx
    .insertInto('app.reserve_documents')
    .values({
      id,
      title,
      amount_cents: amountCents,
      as_of: asOf,
      sha256: Buffer.from(sha256, 'hex'),
      source,
      stated_by: ctx.caller.userId,
      stated_at: now,
    })
    .execute()
    .catch((error: { constraint?: string }) => {
      if (error.constraint !== 'reserve_documents_once') throw error
      throw reserveRefusals.error({ reason: 'document_twice' }, 'sha256')
    })
  await audit(tx, ctx, {
    action: 'reserves.asset_stated',
    subject: { kind: 'reserves', id },
    details: { title },
  })
  return id
}

async function lockAsset(tx: Tx, id: string) {
  const found = await tx
    .selectFrom('app.reserve_documents')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (found === undefined) throw new AppError('not_found', t('There is no such asset.'))
  if (found.withdrawn_at !== null) throw reserveRefusals.error({ reason: 'document_decided' })
  return found
}

/** @throws AppError not_found, wrong_state, same_approver */
export async function confirmAsset(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const found = await lockAsset(tx, id)
  if (found.confirmed_at !== null) throw reserveRefusals.error({ reason: 'document_decided' })
  if (found.stated_by === ctx.caller.userId)
    throw new AppError('same_approver', t('You stated this asset. A second person must confirm it.'))
  await tx
    .updateTable('app.reserve_documents')
    .set({ confirmed_by: ctx.caller.userId, confirmed_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, {
    action: 'reserves.asset_confirmed',
    subject: { kind: 'reserves', id },
    details: { title: found.title },
  })
}

/** @throws AppError not_found, wrong_state */
export async function withdrawAsset(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const found = await lockAsset(tx, id)
  await tx
    .updateTable('app.reserve_documents')
    .set({ withdrawn_by: ctx.caller.userId, withdrawn_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, {
    action: 'reserves.asset_withdrawn',
    subject: { kind: 'reserves', id },
    details: { title: found.title },
  })
}
