import type { ClientBase } from 'pg'
import type { InvariantCheck } from '#server/ledger/invariants.ts'
import { ForkedLog } from './forked-log.ts'

const MOST_EXAMPLES = 10

/**
 * Leaves of the open epoch that are closed, or open, against the setting. Where the setting was changed since the last epoch
 * ended, its first leaves may still be as before.
 */
const AGAINST_SETTING = `
  WITH open_epoch AS (
    SELECT l.index, l.salt IS NOT NULL AS is_closed
      FROM ledger.log_progress p JOIN ledger.log l ON l.index >= p.epoch_from AND l.transaction_id IS NOT NULL)
  SELECT index, is_closed FROM open_epoch
   WHERE is_closed <> $1
     AND ((SELECT l.salt IS NOT NULL FROM ledger.log_progress p JOIN ledger.log l ON l.index < p.epoch_from
            WHERE l.transaction_id IS NOT NULL ORDER BY l.index DESC LIMIT 1) IS DISTINCT FROM NOT $1
          OR index > (SELECT min(index) FROM open_epoch WHERE is_closed = $1))
   ORDER BY index`

type Row = { index: bigint; is_closed: boolean }

async function leavesAgainst(client: ClientBase, closedLeaves: boolean): Promise<Row[]> {
  return (await client.query<Row>(AGAINST_SETTING, [closedLeaves])).rows
}

/** @throws ForkedLog if somebody else added a leaf of the open epoch: what is published closed, or open, stays so */
export async function requireLeavesAsSet(client: ClientBase, closedLeaves: boolean): Promise<void> {
  const [first] = await leavesAgainst(client, closedLeaves)
  if (first === undefined) return
  const state = first.is_closed ? 'closed' : 'open'
  throw new ForkedLog(`leaf ${first.index} is ${state}, against PROOF_CLOSED_LEAVES`)
}

/** Checks that the writer of this setting, and nobody else, has added the open epoch's leaves. */
export async function checkClosedLeaves(client: ClientBase, closedLeaves: boolean): Promise<InvariantCheck> {
  const leaves = await leavesAgainst(client, closedLeaves)
  const { rows } = await client.query<{ examined: bigint }>(
    'SELECT size - epoch_from AS examined FROM ledger.log_progress',
  )
  return {
    name: 'leaves_closed_as_set',
    statement: 'The leaves of the open epoch are open or closed as PROOF_CLOSED_LEAVES says',
    examined: Number(rows[0]!.examined),
    faults: leaves.length,
    examples: leaves
      .slice(0, MOST_EXAMPLES)
      .map(({ index, is_closed }) => ({ leaf: Number(index), closed: is_closed })),
  }
}
