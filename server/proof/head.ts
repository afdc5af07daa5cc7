import type { Pool } from 'pg'
import { publicProofKey } from './keys.ts'

/**
 * The newest checkpoint in one line, for emails and statements: two people who were shown different histories then hold
 * the evidence. Null before the first epoch ends.
 */
export async function headLine(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ size: bigint; root: Buffer }>(
    'SELECT size, root FROM ledger.epochs ORDER BY number DESC LIMIT 1',
  )
  const key = await publicProofKey(pool, 'log')
  const [head] = rows
  if (head === undefined || key === undefined) return null
  return `Public log at this moment: ${head.size}:${head.root.toString('base64')} (entries and root, ${key.name})`
}
