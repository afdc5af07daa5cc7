import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { MoneyCommand } from '#server/ledger/batch.ts'
import { type FirmKind, firm, type Posting } from '#server/ledger/chart.ts'
import { depositSettled } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { Asset } from '#shared/money.ts'
import type { TestDatabase } from './database.ts'

/** The destination of `withdrawalCommand`. */
const payout = { wallet: 'Bitcoin (BTC)', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }

/** A user's row and address book, inserted directly: the ledger's tests need an owner of money, not a sign-up. */
export async function insertUser(
  { owner }: TestDatabase,
  { verified = true }: { verified?: boolean } = {},
): Promise<string> {
  const id = uuidv7()
  await owner.query(
    `INSERT INTO app.users (id, name, email, phone, country, password_hash, email_verified_at, referral_code)
     VALUES ($1::uuid, $2, $3, '1', 'AU', 'x', $4, $1::text)`,
    [id, `Investor ${id.slice(-4)}`, `${id}@example.test`, verified ? new Date() : null],
  )
  await owner.query(
    `INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at) VALUES ($1, $1, $2, $3, now())`,
    [id, payout.wallet, payout.address],
  )
  return id
}

/** A deposit's posting of USD cents to an investor's available balance, without the deposit's record. */
export function deposit(userId: string, amountCents: bigint): Posting {
  const payment = { asset: 'USDT', receivedUnits: amountCents * unitsOfACent } as const
  return depositSettled({ userId, actor: null, depositId: uuidv7(), amountCents, payment })
}

const unitsOfACent = 10_000n

/** A paid deposit and its posting. */
export async function deposited(db: Kysely<Schema>, userId: string, amountCents: bigint): Promise<void> {
  const posting = deposit(userId, amountCents)
  const units = amountCents * unitsOfACent
  await db.transaction().execute(async tx => {
    await sql`
      INSERT INTO app.deposits (id, invoice_id, user_id, amount_cents, method, asset, network, address, crypto_units, rate_e8,
                                rate_at, rate_source, payment_uri, expires_at, watch_until)
      VALUES (${posting.reference.id}, ${posting.reference.id}::text, ${userId}, ${amountCents}, 'usdt', 'USDT', 'TRON', 'T1', 1,
              100000000, now(), 'test', '', now(), now())`.execute(tx)
    await post(tx, posting)
    await sql`
      INSERT INTO app.deposit_credits (deposit_id, entered_by, units, exchanged_units, cents, rate_e8, rate_at, rate_source, posting)
      VALUES (${posting.reference.id}, ${userId}, ${units}, ${units}, ${amountCents}, 100000000, now(), 'test', ${posting.id})`.execute(
      tx,
    )
    await sql`UPDATE app.deposits SET status = 'paid', settled_at = now() WHERE id = ${posting.reference.id}`.execute(
      tx,
    )
  })
}

/** The firm's balance of a kind and asset in minor units, credit positive; zero before its first posting. */
export async function firmBalance(db: Kysely<Schema>, kind: FirmKind, asset: Asset): Promise<bigint> {
  const { rows } = await sql<{ balance: string }>`
    SELECT balance FROM ledger.balances WHERE owner = ${firm} AND kind = ${kind} AND asset = ${asset}`.execute(
    db,
  )
  return BigInt(rows[0]?.balance ?? 0)
}

/** A verified user with this available balance, in cents. */
export async function investorWith(database: TestDatabase, amountCents: bigint): Promise<string> {
  const userId = await insertUser(database)
  await deposited(database.db, userId, amountCents)
  return userId
}

/** A withdrawal request for the hot path. */
export function withdrawalCommand(
  caller: string,
  amountCents: bigint,
  idempotency: MoneyCommand['idempotency'] = null,
): MoneyCommand {
  const at = new Date()
  const id = newId(at)
  return {
    kind: 'withdrawal',
    caller,
    idempotency,
    id,
    holdId: uuidv7(),
    amountCents,
    at,
    ip: '127.0.0.1',
    requestId: uuidv7(),
    payout: { ...payout, minimumCents: 0n, singleApprovalCents: 1_000_000n },
    answer: { _id: id, amount: Number(amountCents) / 100 },
  }
}
