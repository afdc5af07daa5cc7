import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { type Admin, emailAdmins, lockStaff } from '#server/staff/admins.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import type { proposeApiKey } from '#shared/contract/api-keys.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { apiKeyDays } from '#shared/limits.ts'
import { dayAfter, dayOf } from '#shared/moments.ts'
import { type KeyRow, statusOf } from './key-queries.ts'
import { beginningOf, hashOfKey, newKeyText } from './key-text.ts'
import { integrationRefusals } from './messages.ts'

type Asked = ParsedInput<typeof proposeApiKey>['body']
/** A proposal's content, which the database compares with the key. */
type Content = Omit<Asked, 'reason'>

/**
 * Proposes an API key.
 * @returns the proposal's id
 * @throws AppError forbidden; invalid_input for its last day; already_proposed, needs_second_admin
 */
export async function proposeKey(
  tx: Tx,
  ctx: SignedInContext,
  { reason, ...content }: Asked,
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const now = ctx.services.clock.now()
  if (content.until < dayOf(now)) throw invalidDay(t('The last day cannot be in the past (UTC)'))
  if (content.until > dayAfter(now, apiKeyDays)) {
    throw invalidDay(t('The last day can be at most {days} days ahead', { days: apiKeyDays }))
  }
  return propose(tx, ctx, others, { kind: 'api_key', content, reason })
}

function invalidDay(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { until: message } })
}

/**
 * What the approval does: the proposer can create the key.
 * @throws AppError key_day_passed
 */
export async function approveKey(
  tx: Tx,
  ctx: SignedInContext,
  { id: proposalId, content, reason, proposed_by }: ProposalRow,
  others: readonly Admin[],
): Promise<void> {
  const { name, rights, addresses, until } = content as unknown as Content
  const now = ctx.services.clock.now()
  if (until < dayOf(now)) throw integrationRefusals.error({ reason: 'key_day_passed' })
  const id = newId(now)
  await tx
    .insertInto('app.api_keys')
    .values({
      id,
      name,
      rights,
      addresses,
      expires_on: until,
      proposal_id: proposalId,
      proposed_by,
      approved_at: now,
    })
    .execute()
  const details = { name, rights, addresses, until }
  await audit(tx, ctx, { action: 'api_key.approved', subject: { kind: 'api_key', id }, reason, details })
  const [by, proposer] = [await nameOf(tx, ctx.caller.userId), await nameOf(tx, proposed_by)]
  await emailAdmins(tx, ctx, others, () => ({
    subject: t('The API key {name} was approved', { name }),
    paragraphs: [
      t(
        '{by} approved the API key {name}. {proposer}, who proposed it, can now create it in the console, under Integrations.',
        { by, name, proposer },
      ),
    ],
  }))
}

/**
 * Creates the text of an approved key and stores its hash.
 * @returns the text, which nothing else has
 * @throws AppError forbidden, not_found, own_request; key_created, key_revoked, key_expired
 */
export async function createKey(tx: Tx, ctx: SignedInContext, id: string): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const key = await lockKey(tx, id)
  if (key.proposed_by !== ctx.caller.userId) {
    throw new AppError('own_request', t('Only the admin who proposed this key can create it.'))
  }
  const now = ctx.services.clock.now()
  const refusals = { active: 'key_created', revoked: 'key_revoked', expired: 'key_expired' } as const
  const status = statusOf(key, now)
  if (status !== 'approved') throw integrationRefusals.error({ reason: refusals[status] })
  const text = newKeyText()
  await tx
    .updateTable('app.api_keys')
    .set({ hash: hashOfKey(text), beginning: beginningOf(text), created_at: now })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, { action: 'api_key.created', subject: { kind: 'api_key', id } })
  const by = await nameOf(tx, ctx.caller.userId)
  const { name, expires_on: day } = key
  await emailAdmins(tx, ctx, others, () => ({
    subject: t('The API key {name} was created', { name }),
    paragraphs: [
      t(
        '{by} created the API key {name}, which works until {day}. If you do not expect this, revoke it in the console, under Integrations.',
        { by, name, day },
      ),
    ],
  }))
  return text
}

/**
 * Revokes a key: its next request is refused. One admin is enough.
 * @throws AppError forbidden, not_found; key_revoked
 */
export async function revokeKey(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const others = await lockStaff(tx, ctx)
  const { name, revoked_at } = await lockKey(tx, id)
  if (revoked_at !== null) throw integrationRefusals.error({ reason: 'key_revoked' })
  await tx
    .updateTable('app.api_keys')
    .set({ revoked_at: ctx.services.clock.now(), revoked_by: ctx.caller.userId })
    .where('id', '=', id)
    .execute()
  await audit(tx, ctx, { action: 'api_key.revoked', subject: { kind: 'api_key', id }, reason })
  const by = await nameOf(tx, ctx.caller.userId)
  await emailAdmins(tx, ctx, others, () => ({
    subject: t('The API key {name} was revoked', { name }),
    paragraphs: [
      t('{by} revoked the API key {name}. It no longer works.', { by, name }),
      t('Reason: {reason}', { reason }),
    ],
  }))
}

/** @throws AppError not_found */
async function lockKey(tx: Tx, id: string): Promise<KeyRow> {
  const key = await tx
    .selectFrom('app.api_keys')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!key) throw new AppError('not_found', t('API key not found'))
  return key
}
