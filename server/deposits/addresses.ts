import type { Kysely } from 'kysely'
import { lastIndex, lockNumbering, stopNumbering } from '#server/chain/numbering.ts'
import type { Services, Tx } from '#server/context.ts'
import { Outdated } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Rail, Receiving } from '#server/rails/rail.ts'
import { railOf } from '#server/rails/rails.ts'
import { type DepositMethod, paymentMethods, type RailName, railLabels } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { lastMark, mark } from './address-marks.ts'
import { doubtAbout } from './stopped-accounts.ts'

type Derived = Extract<Receiving, { kind: 'derived' }>
type Address = { index: number; address: string }

type Numbering = Pick<Services, 'db' | 'config' | 'clock'>

/**
 * The address for a quote. A derived address is reused for the investor until a deposit takes it or a transfer arrives; it is stored,
 * marked on this machine, and therefore watched, before it is shown. Inside a transaction, `reserveAddress` must have come first.
 * @throws AppError method_paused; Outdated if another request has just taken the reserved one
 */
export async function addressFor(
  of: Numbering,
  { name: rail, receiving }: Rail,
  userId: string,
): Promise<string> {
  if (receiving.kind === 'fixed') return receiving.address
  const kept = await keptAddress(of.db, receiving.account, userId)
  if (kept === undefined && of.db.isTransaction)
    throw new Outdated('another request took the reserved address')
  const { index, address } = kept ?? (await numbered(of, { rail, receiving, userId }))
  await mark(of.config.dataDir, receiving.account, index)
  return address
}

/**
 * Makes sure that the investor has an address of their own, before the transaction that needs it.
 * @throws AppError method_paused
 */
export async function reserveAddress(of: Numbering, method: DepositMethod, userId: string): Promise<void> {
  const rail = railOf(of.config, paymentMethods[method].rail)
  if (rail) await addressFor(of, rail, userId)
}

/**
 * Assigns a quote's address to its deposit, permanently.
 * @throws AppError quote_expired if another deposit has it, or it belongs to an account that is no longer configured
 */
export async function takeAddress(
  tx: Tx,
  { receiving }: Rail,
  { address, userId, depositId }: { address: string; userId: string; depositId: string },
): Promise<void> {
  if (receiving.kind === 'fixed') return
  const taken = await tx
    .updateTable('app.payment_addresses')
    .set({ deposit_id: depositId })
    .where('address', '=', address)
    .where('account', '=', receiving.account)
    .where('user_id', '=', userId)
    .where('deposit_id', 'is', null)
    .executeTakeFirst()
  if (taken.numUpdatedRows === 1n) return
  throw new AppError(
    'quote_expired',
    t('This quote has already been used, or a payment for it has arrived. Start a new deposit.'),
  )
}

/** Locks the row within a transaction, so that a concurrent request gets another address. */
function keptAddress(db: Kysely<Schema>, account: string, userId: string): Promise<Address | undefined> {
  return db
    .selectFrom('app.payment_addresses')
    .select(['address', 'address_index as index'])
    .where('account', '=', account)
    .where('branch', '=', 0)
    .where('user_id', '=', userId)
    .where('deposit_id', 'is', null)
    .where('used_at', 'is', null)
    .$if(db.isTransaction, query => query.forUpdate())
    .executeTakeFirst()
}

/** The next address, in a transaction of its own: an index is given to nobody twice, however the request ends. */
async function numbered(
  of: Numbering,
  { rail, receiving, userId }: { rail: RailName; receiving: Derived; userId: string },
): Promise<Address> {
  // Read before the transaction: numbers given meanwhile are in the database.
  const shown = await lastMark(of.config.dataDir, receiving.account)
  const asked = { rail, receiving, userId, shown }
  const outcome = await of.db.transaction().execute(tx => numberIn(tx, of, asked))
  if (outcome !== 'stopped') return outcome
  throw new AppError(
    'method_paused',
    t(
      'New payments on {network} are paused while our team checks something. Payment requests that you already have stay valid. Please choose another method, or try again later.',
      { network: railLabels[rail] },
    ),
  )
}

/**
 * Numbers within a transaction that shows the address to nobody before it is committed: that of the demonstration's sample.
 * @param of.shown the last mark of this machine
 * @returns 'stopped' if the next address may be somebody else's
 */
export async function numberIn(
  tx: Kysely<Schema>,
  { clock }: Pick<Services, 'clock'>,
  {
    rail,
    receiving,
    userId,
    shown,
  }: { rail: RailName; receiving: Derived; userId: string; shown: number | undefined },
): Promise<Address | 'stopped'> {
  const { account } = receiving
  await lockNumbering(tx, account)
  // Another tab may have been quicker.
  const other = await keptAddress(tx, account, userId)
  if (other !== undefined) return other
  const last = await lastIndex(tx, account)
  const doubt = await doubtAbout(tx, { account, rail, last, mark: shown })
  if (doubt !== undefined) {
    if (doubt.because !== 'stopped') await stopNumbering(tx, { account, rail, ...doubt, now: clock.now() })
    return 'stopped'
  }
  const index = last + 1
  const address = receiving.addressAt(0, index)
  const row = { account, branch: 0, address_index: index, rail, address } as const
  await tx
    .insertInto('app.payment_addresses')
    .values({ ...row, user_id: userId, created_at: clock.now() })
    .execute()
  return { index, address }
}
