import type { Pool, PoolClient } from 'pg'

/** The SHA-256 of each file that is evidence of a return among these leaves (docs/proof-format.md); undefined without one. */
export async function evidenceListing(
  client: PoolClient,
  { from, to }: { from: bigint; to: bigint },
): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ listing: string | null }>(
    `SELECT string_agg(sha256 || E'\\n', '' ORDER BY sha256 COLLATE "C") AS listing
       FROM (SELECT DISTINCT encode(f.sha256, 'hex') AS sha256
               FROM ledger.log l
               JOIN ledger.transactions t ON t.id = l.transaction_id AND t.event = 'return.recorded'
               JOIN app.returns r ON r.id = t.reference_id
               JOIN app.evidence_files f ON f.id = r.evidence_file
              WHERE l.index >= $1 AND l.index < $2) files`,
    [from, to],
  )
  const { listing } = rows[0]!
  return listing === null ? undefined : Buffer.from(listing)
}

/** The epoch that has a recorded return; null before it has ended, and for a return that was not recorded. */
export async function epochOfReturn(pool: Pool, returnId: string): Promise<number | null> {
  const { rows } = await pool.query<{ epoch: bigint }>(
    `SELECT (SELECT min(number) FROM ledger.epochs WHERE size > l.index) AS epoch
       FROM ledger.transactions t JOIN ledger.log l ON l.transaction_id = t.id
      WHERE t.reference_id = $1 AND t.event = 'return.recorded'`,
    [returnId],
  )
  const epoch = rows[0]?.epoch ?? null
  return epoch === null ? null : Number(epoch)
}
