import { type Kysely, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Rail, Receiving } from '#server/rails/rail.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'

type Derived = Extract<Receiving, { kind: 'derived' }>

/**
 * The address for a quote. A derived address is reused for the investor until a deposit takes it or a transfer arrives; it is stored, and
 * therefore watched, before it is shown.
 */
export async function addressFor(
  db: Kysely<Schema>,
  { method, receiving }: Rail,
  { userId, now }: { userId: string; now: Date },
): Promise<string> {
  if (receiving.kind === 'fixed') return receiving.address
  const kept = await keptAddress(db, receiving.account, userId)
  if (kept !== undefined) return kept
  return inTransaction(db, async tx => {
    await lockAccount(tx, receiving.account)
    // Another tab may have been quicker.
    const other = await keptAddress(tx, receiving.account, userId)
    return other ?? (await nextAddress(tx, { method, receiving, userId, now }))
  })
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
    'This quote has already been used, or a payment for it has arrived. Start a new deposit.',
  )
}

/** Locks the row within a transaction, so that a concurrent request gets another address. */
async function keptAddress(db: Kysely<Schema>, account: string, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('app.payment_addresses')
    .select('address')
    .where('account', '=', account)
    .where('branch', '=', 0)
    .where('user_id', '=', userId)
    .where('deposit_id', 'is', null)
    .where('used_at', 'is', null)
    .$if(db.isTransaction, query => query.forUpdate())
    .executeTakeFirst()
  return row?.address
}

/** Serialises the numbering so that no index is skipped: wallets scan only a few unused ones (BIP-44 gap limit). */
async function lockAccount(tx: Kysely<Schema>, account: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`payment addresses ${account}`}, 0))`.execute(tx)
}

async function nextAddress(
  tx: Kysely<Schema>,
  of: { method: DepositMethod; receiving: Derived; userId: string; now: Date },
): Promise<string> {
  const { method, receiving, userId, now } = of
  const { last } = await tx
    .selectFrom('app.payment_addresses')
    .select(({ fn }) => fn.max('address_index').as('last'))
    .where('account', '=', receiving.account)
    .where('branch', '=', 0)
    .executeTakeFirstOrThrow()
  const index = last === null ? 0 : last + 1
  const address = receiving.addressAt(0, index)
  const row = { account: receiving.account, branch: 0, address_index: index, method, address } as const
  await tx
    .insertInto('app.payment_addresses')
    .values({ ...row, user_id: userId, created_at: now })
    .execute()
  return address
}

function inTransaction<Result>(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
