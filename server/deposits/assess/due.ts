import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { RailName } from '#shared/coins.ts'

/** Deposits of a network with a confirmed transfer to credit or a credited transfer to reverse, ordered by id. */
export async function dueDeposits(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  rail: RailName,
  { after, most }: { after: string | undefined; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT d.id
      FROM (
        SELECT t.address, true AS counts
          FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.rail = c.rail AND t.block_height <= c.synced_height - c.confirmations + 1
         WHERE c.rail = ${rail} AND t.credited_units < t.units AND t.ignored_reason IS NULL AND t.receiving
         UNION ALL
        -- A transfer may be in a block that is not synced yet.
        SELECT t.address, false
          FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.rail = c.rail AND t.block_height IS NULL
         WHERE c.rail = ${rail} AND c.synced_height = c.tip_height AND t.credited_units > 0
      ) due
      JOIN app.payment_addresses a ON app.address_key(a.address) = due.address AND a.rail = ${rail}
      JOIN app.deposits d ON d.id = a.deposit_id
      JOIN app.users u ON u.id = d.user_id
     WHERE (NOT due.counts OR u.frozen_at IS NULL AND coalesce(d.assess_after, '-infinity') <= ${clock.now()} AND NOT (
             -- An incomplete payment of an investment, and the investor was notified: wait for the rest.
             d.status = 'pending' AND d.watch_until > ${clock.now()}
             AND EXISTS (SELECT FROM app.investments i WHERE i.id = d.investment_id AND i.status = 'pending')
             AND d.crypto_units > (app.amounts_of(d.id)).uncredited_units
             AND EXISTS (SELECT FROM app.notifications n WHERE n.subject_id = d.id AND n.kind = 'deposit.underpaid')))
       AND (${after ?? null}::uuid IS NULL OR d.id > ${after ?? null}::uuid)
     GROUP BY d.id
     ORDER BY d.id
     LIMIT ${most}`.execute(db)
  return rows.map(({ id }) => id)
}
