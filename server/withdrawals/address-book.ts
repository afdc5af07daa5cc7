import { sql } from 'kysely'
import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { audit } from '#server/audit/log.ts'
import type { Config } from '#server/config.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { newId } from '#server/platform/id.ts'
import { requireFewThisHour } from '#server/queries/hourly-limit.ts'
import { requireUnlisted } from '#server/screening/listed.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import { addressError } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { maximumAddresses, newAddressesPerHour } from '#shared/limits.ts'
import type { AddressRow } from './address-queries.ts'
import { withdrawalRefusals } from './messages.ts'

export type Destination = { wallet: WithdrawalWallet; address: string }

/**
 * Why an address cannot be paid: a wrong format or checksum, an address that loses coins, or one of ours. The demonstration takes
 * addresses of test networks too.
 */
export function destinationError({ wallet, address }: Destination, config: Config): string | undefined {
  const contracts = Object.values(config.rails.ethereum.contracts)
  const error = addressError(wallet, address, { testNetworks: config.mode === 'demo', contracts })
  if (error !== undefined) return error
  return isConfigured(address, config) ? translate(ourAddress) : undefined
}

/** @throws AppError invalid_input if WITHDRAWAL_COINS leaves the coin out */
export function requireOffered(wallet: WithdrawalWallet, { withdrawalWallets }: Config): void {
  if (withdrawalWallets.includes(wallet)) return
  const message = translate(notOffered)
  throw new AppError('invalid_input', message, { fields: { wallet: message } })
}

const notOffered = msg('Choose a wallet from the list')
const ourAddress = msg("That's our address. Enter one from your own wallet.")

/** Compares with all coins, because several share a format, and ignores case, which most formats do. */
function isConfigured(address: string, { paymentAddresses, rails }: Config): boolean {
  const own = [
    ...Object.values(paymentAddresses),
    rails.ethereum.payoutAddress ?? '',
    rails.usdt.payoutAddress ?? '',
  ]
  return own.some(one => one.toLowerCase() === address.toLowerCase())
}

/**
 * Refuses every address that we have ever shown, paid from or sent change to: a payment there would come back as a deposit.
 * @param field of the form
 * @throws AppError invalid_input
 */
export async function requireNotOurs(tx: Tx, { address }: Destination, field: string): Promise<void> {
  const { rows } = await sql`
    SELECT 1 FROM app.payment_addresses WHERE app.address_key(address) = app.address_key(${address})
     UNION ALL
    SELECT 1 FROM app.deposits WHERE app.address_key(address) = app.address_key(${address})
     UNION ALL
    SELECT 1 FROM app.payout_batches WHERE app.address_key(sender) = app.address_key(${address})
     LIMIT 1`.execute(tx)
  if (rows.length === 0) return
  const message = translate(ourAddress)
  throw new AppError('invalid_input', message, { fields: { [field]: message } })
}

/**
 * Adds an address to the caller's book.
 * @throws AppError proof_required, invalid_input, address_exists, address_book_full, rate_limited
 */
export async function addAddress(
  tx: Tx,
  ctx: SignedInContext,
  { label, ...to }: Destination & { label?: string | null | undefined },
): Promise<AddressRow> {
  await requireReauthentication(tx, ctx)
  requireOffered(to.wallet, ctx.services.config)
  const error = destinationError(to, ctx.services.config)
  if (error !== undefined) throw new AppError('invalid_input', error, { fields: { address: error } })
  await requireNotOurs(tx, to, 'address')
  await requireUnlisted(tx, to.address, 'address')
  const { addressWaitHours } = await currentSettings(tx, ctx.services.config)
  const entered = await enterAddress(tx, ctx, { ...to, label: label ?? null }, addressWaitHours)
  if (entered) return entered
  throw withdrawalRefusals.error({ reason: 'address_exists' }, 'address')
}

/**
 * Enters a valid address into the caller's book and notifies them.
 * @returns undefined if it is already there
 * @throws AppError address_book_full, rate_limited
 */
export async function enterAddress(
  tx: Tx,
  ctx: SignedInContext,
  { wallet, address, label = null }: Destination & { label?: string | null },
  waitHours: number,
): Promise<AddressRow | undefined> {
  const { services, caller } = ctx
  const now = services.clock.now()
  await requireRoom(tx, ctx, { wallet, address })
  const entered = await tx
    .insertInto('app.payout_addresses')
    .values({
      id: newId(now),
      user_id: caller.userId,
      wallet,
      address,
      label,
      created_at: now,
      usable_from: usableFrom(now, waitHours),
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (entered) await notifyAdded(tx, ctx, entered.id)
  return entered
}

/**
 * Limits new addresses, because each sends an email and is kept for good. Locks the account, so that concurrent requests cannot exceed
 * the limits; removed entries count towards the hourly one.
 * @throws AppError address_book_full, rate_limited
 */
export async function requireRoom(tx: Tx, ctx: SignedInContext, to: Destination): Promise<void> {
  const { userId } = ctx.caller
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  if (await isInBook(tx, userId, to)) return
  const { count } = await tx
    .selectFrom('app.payout_addresses')
    .select(eb => eb.fn.countAll().as('count'))
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(count) >= maximumAddresses) throw withdrawalRefusals.error({ reason: 'address_book_full' })
  const limit = t('You can add at most {count} new addresses an hour', { count: newAddressesPerHour })
  await requireFewThisHour(tx, ctx, { table: 'app.payout_addresses', most: newAddressesPerHour, limit })
}

async function isInBook(tx: Tx, userId: string, { wallet, address }: Destination): Promise<boolean> {
  const entry = await tx
    .selectFrom('app.payout_addresses')
    .select('id')
    .where('user_id', '=', userId)
    .where('wallet', '=', wallet)
    .where(sql`app.address_key(address)`, '=', sql`app.address_key(${address})`)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return entry !== undefined
}

/** Notifies the owner of a new address, in the transaction that enters it. */
export async function notifyAdded(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  await notifySecurity(tx, ctx, 'address.added', { userId: ctx.caller.userId, aboutId: id })
  await audit(tx, ctx, { action: 'address.added', subject: { kind: 'address', id } })
}

/** A whole minute, as people read it; null if there is no waiting time. */
function usableFrom(now: Date, waitHours: number): Date | null {
  if (waitHours === 0) return null
  return new Date(Math.ceil((now.getTime() + waitHours * 3_600_000) / 60_000) * 60_000)
}

/** @throws AppError forbidden, in the same words for a foreign, removed or unknown address (D8) */
export async function renameAddress(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  label: string | null,
): Promise<AddressRow> {
  const row = await ownEntry(tx, ctx, id).set({ label }).returningAll().executeTakeFirst()
  if (!row) throw notOwn()
  await audit(tx, ctx, { action: 'address.renamed', subject: { kind: 'address', id } })
  return row
}

/**
 * Removes an address from the book; earlier requests still go there.
 * @throws AppError forbidden
 */
export async function removeAddress(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const removed = await ownEntry(tx, ctx, id)
    .set({ removed_at: ctx.services.clock.now() })
    .returning('id')
    .executeTakeFirst()
  if (!removed) throw notOwn()
  await audit(tx, ctx, { action: 'address.removed', subject: { kind: 'address', id } })
}

function ownEntry(tx: Tx, { caller }: SignedInContext, id: string) {
  return tx
    .updateTable('app.payout_addresses')
    .where('id', '=', id)
    .where('user_id', '=', caller.userId)
    .where('removed_at', 'is', null)
}

function notOwn(): AppError {
  return new AppError('forbidden', t('You can change only your own address book'))
}
