import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { RailName } from '#shared/coins.ts'

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

/** Why an account is stopped (`app.receiving_accounts`), and the highest index that somebody else was given, as far as known. */
export type Stop = { because: 'mark' | 'server' | 'chain'; knownIndex: number | null }

/** Stops the numbering of an account until an operator resumes it (deposits/resume-numbering.ts); a job tells the admins. */
export async function stopNumbering(
  tx: Kysely<Schema>,
  { account, rail, now, because, knownIndex }: Stop & { account: string; rail: RailName; now: Date },
): Promise<void> {
  const stop = { stopped_at: now, stopped_because: because, told_at: null }
  await tx
    .insertInto('app.receiving_accounts')
    .values({ account, rail, server: '', known_index: knownIndex, ...stop })
    .onConflict(conflict =>
      conflict.column('account').doUpdateSet({
        ...stop,
        // An earlier stop may know a higher one.
        known_index: sql`greatest(receiving_accounts.known_index, excluded.known_index)`,
      }),
    )
    .execute()
}
