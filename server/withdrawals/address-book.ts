import { sql } from 'kysely'
import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { audit } from '#server/audit/log.ts'
import type { Config } from '#server/config.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { newId } from '#server/platform/id.ts'
import { inWords } from '#server/platform/rate-limit.ts'
import { addressFault } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { maximumAddresses, newAddressesPerHour } from '#shared/limits.ts'
import type { AddressRow } from './address-queries.ts'

/** Where somebody wants to be paid. */
export type Destination = { wallet: WithdrawalWallet; address: string }

/**
 * Why somebody cannot be paid there: the address must be of its coin's format and with a right checksum. In demo mode the
 * coins' test networks count as well. Main-net addresses still do: D2 keeps them away from what people pay to, and from here
 * no coin leaves anyway; visitors would otherwise meet a form that refuses what the real one takes.
 * @returns 'This is not a valid Bitcoin (BTC) address', that coins sent to it are lost, or that the firm itself is paid there
 */
export function destinationFault({ wallet, address }: Destination, config: Config): string | undefined {
  const contracts = Object.values(config.rails.ethereum.contracts)
  const fault = addressFault(wallet, address, { testNetworks: config.mode === 'demo', contracts })
  if (fault !== undefined) return fault
  return isConfigured(address, config) ? firmsOwn : undefined
}

/** @throws AppError invalid_input where the configuration does not offer the coin (WITHDRAWAL_COINS) */
export function requireOffered(wallet: WithdrawalWallet, { withdrawalWallets }: Config): void {
  if (withdrawalWallets.includes(wallet)) return
  throw new AppError('invalid_input', notOffered, { fields: { wallet: notOffered } })
}

const notOffered = 'Choose a wallet from the list'
const firmsOwn = 'The firm is paid at this address. Enter one of your own wallet'

/** Whatever the coin: several of them share the form of their addresses. Of most forms the case means nothing. */
function isConfigured(address: string, { paymentAddresses, rails }: Config): boolean {
  const own = [
    ...Object.values(paymentAddresses),
    rails.ethereum.payoutAddress ?? '',
    rails.usdt.payoutAddress ?? '',
  ]
  return own.some(one => one.toLowerCase() === address.toLowerCase())
}

/**
 * Also what is not configured any more, and what was made of an account: all that was ever shown, took change or paid. What is paid
 * there would come back as somebody's deposit. Asked where an address comes into a book; what is in one was asked for then.
 * @param field that the address was typed into
 * @throws AppError invalid_input
 */
export async function requireForeign(tx: Tx, { address }: Destination, field: string): Promise<void> {
  const { rows } = await sql`
    SELECT 1 FROM app.payment_addresses WHERE app.address_key(address) = app.address_key(${address})
     UNION ALL
    SELECT 1 FROM app.deposits WHERE app.address_key(address) = app.address_key(${address})
     UNION ALL
    SELECT 1 FROM app.payout_batches WHERE app.address_key(sender) = app.address_key(${address})
     LIMIT 1`.execute(tx)
  if (rows.length > 0) throw new AppError('invalid_input', firmsOwn, { fields: { [field]: firmsOwn } })
}

/**
 * Adds an address to the caller's book.
 * @throws AppError proof_required; invalid_input; wrong_state where it is there already, or the book is full; rate_limited
 */
export async function addAddress(
  tx: Tx,
  ctx: SignedInContext,
  { label, ...to }: Destination & { label?: string | null | undefined },
): Promise<AddressRow> {
  await requireReauthentication(tx, ctx)
  requireOffered(to.wallet, ctx.services.config)
  const fault = destinationFault(to, ctx.services.config)
  if (fault !== undefined) throw new AppError('invalid_input', fault, { fields: { address: fault } })
  await requireForeign(tx, to, 'address')
  const entered = await enterAddress(tx, ctx, { ...to, label: label ?? null })
  if (entered) return entered
  const message = 'This address is in your address book already'
  throw new AppError('wrong_state', message, { fields: { address: message } })
}

/**
 * Puts an address that is sound into the caller's book, tells him, and says from when on it can be used.
 * @returns undefined where it is there already
 * @throws AppError wrong_state where the book is full; rate_limited
 */
export async function enterAddress(
  tx: Tx,
  ctx: SignedInContext,
  { wallet, address, label = null }: Destination & { label?: string | null },
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
      usable_from: usableFrom(now, services.config.addressWaitHours),
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (entered) await tellAdded(tx, ctx, entered.id)
  return entered
}

/**
 * Each entry is told by a letter and kept for good, so there are not too many of them. Counted are the entries
 * themselves, removed ones too, under a lock of the account: the limits hold however many are added at once.
 * @throws AppError wrong_state where the book is full; rate_limited with the seconds to wait
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
  if (Number(count) >= maximumAddresses) {
    const message = `An address book has at most ${maximumAddresses} addresses. Remove one first.`
    throw new AppError('wrong_state', message)
  }
  await refuseTooMany(tx, ctx)
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

/** RATE_LIMIT=off switches it off, as the other limits. */
async function refuseTooMany(
  tx: Tx,
  { services: { clock, config }, caller }: SignedInContext,
): Promise<void> {
  if (!config.rateLimit) return
  const now = clock.now().getTime()
  const oldest = await tx
    .selectFrom('app.payout_addresses')
    .select('created_at')
    .where('user_id', '=', caller.userId)
    .where('created_at', '>', new Date(now - 3_600_000))
    .orderBy('created_at', 'desc')
    .offset(newAddressesPerHour - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  const retryAfterSeconds = Math.max(1, Math.ceil((oldest.created_at.getTime() + 3_600_000 - now) / 1000))
  const many = `At most ${newAddressesPerHour} new addresses an hour can come into an address book.`
  const message = `${many} Please try again in ${inWords(retryAfterSeconds)}.`
  throw new AppError('rate_limited', message, { retryAfterSeconds })
}

/** The owner is told of an address that is new in his book, in the transaction that has put it there. */
export async function tellAdded(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  await notifySecurity(tx, ctx, 'address.added', { userId: ctx.caller.userId, aboutId: id })
  await audit(tx, ctx, { action: 'address.added', subject: { kind: 'address', id } })
}

/** A whole minute, as it is told; null where nobody has to wait. */
function usableFrom(now: Date, waitHours: number): Date | null {
  if (waitHours === 0) return null
  return new Date(Math.ceil((now.getTime() + waitHours * 3_600_000) / 60_000) * 60_000)
}

/** @throws AppError forbidden, in one and the same words where it is another's, removed, or not there at all (D8) */
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
 * Removes an address from the book; what was asked for before still goes there.
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
  return new AppError('forbidden', 'You can change your own address book only')
}
