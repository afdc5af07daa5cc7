import { newId } from '#server/platform/id.ts'
import type { Person, World } from './world.ts'

/**
 * Posts a deposit of bitcoin, rounded, into the past: only the books' owner may.
 * @param at a moment as SQL
 */
export async function depositedAt(
  { ownerPool }: Pick<World, 'ownerPool'>,
  at: string,
  owner: Person,
  cents: bigint,
): Promise<void> {
  const id = newId(new Date())
  const session = await ownerPool.connect()
  try {
    await session.query(`SELECT set_config('ledger.at', (${at})::text, false)`)
    await session.query(
      `SELECT ledger.post(ROW ('${id}', 'deposit.settled', 'deposit', '${id}', NULL, NULL, NULL),
         ARRAY[ROW (1, ledger.firm(), 'custody', ledger.firm(), 'exchange', 'BTC', 153846),
               ROW (1, ledger.firm(), 'custody', ledger.firm(), 'rounding', 'BTC', 4),
               ROW (1, ledger.firm(), 'exchange', '${owner.id}', 'available', 'USD', ${cents})]::ledger.leg[])`,
    )
  } finally {
    session.release(true)
  }
}
