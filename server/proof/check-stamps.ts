import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { TimeAuthority } from '#server/config/time-authority.ts'
import type { InvariantCheck } from '#server/ledger/invariants.ts'
import { Invalid } from '#verifier/errors.mjs'
import { certificatesIn, checkTimeStamp } from '#verifier/time-stamp.mjs'

const MOST_EXAMPLES = 10

export type StoredStamp = { checkpoint: string; response: Buffer }
type Row = StoredStamp & { epoch: bigint; authority: string }

/** Why this stamp is none; undefined if it holds. Without a configured authority, nobody's certificate is asked for. */
export function problemOfStamp(
  { checkpoint, response }: StoredStamp,
  authority: TimeAuthority | null,
): string | undefined {
  try {
    const trusted = authority && certificatesIn(authority.certificates)
    checkTimeStamp(response, hash('sha256', checkpoint, 'buffer'), trusted)
    return undefined
  } catch (error) {
    if (error instanceof Invalid) return error.message
    throw error
  }
}

/** Verifies the stamps of the public log, of which the database knows only the form. */
export async function checkStamps(
  client: ClientBase,
  authority: TimeAuthority | null,
): Promise<InvariantCheck> {
  const { rows } = await client.query<Row>(
    `SELECT s.epoch, s.authority, s.response, e.checkpoint
       FROM ledger.stamps s JOIN ledger.epochs e ON e.number = s.epoch ORDER BY s.epoch, s.authority`,
  )
  const problems = rows.flatMap(({ epoch, authority: of, ...stamp }) => {
    const problem = problemOfStamp(stamp, authority)
    return problem === undefined ? [] : [{ epoch: Number(epoch), authority: of, problem }]
  })
  return {
    name: 'stamps_verified',
    statement: 'Every time stamp of the public log is of a configured authority, over its checkpoint',
    examined: rows.length,
    faults: problems.length,
    examples: problems.slice(0, MOST_EXAMPLES),
  }
}
