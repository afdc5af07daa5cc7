import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** Serialises the numbering of an account's receiving addresses: wallets scan only a few unused ones (BIP-44 gap limit). */
export async function lockNumbering(tx: Kysely<Schema>, account: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`payment addresses ${account}`}, 0))`.execute(tx)
}

/** The last index of an account's receiving addresses, shown or unassigned; -1 if there is none. */
export async function lastIndex(tx: Kysely<Schema>, account: string): Promise<number> {
  const { last } = await tx
    .selectFrom('app.payment_addresses')
    .select(({ fn }) => fn.max('address_index').as('last'))
    .where('account', '=', account)
    .where('branch', '=', 0)
    .executeTakeFirstOrThrow()
  return last ?? -1
}
