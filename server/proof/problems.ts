import type { Pool, PoolClient } from 'pg'

/** What of the public proof can fail at a try, for the console. */
export type ProofPart = 'writing' | 'signing' | 'bucket' | 'stamps'

/** Keeps why the last try failed, with the time of the first one that did; null for one that succeeded. */
export async function noteProblem(
  client: Pool | PoolClient,
  part: ProofPart,
  problem: string | null,
  now: Date,
): Promise<void> {
  if (problem === null) {
    await client.query('DELETE FROM app.proof_problems WHERE part = $1', [part])
    return
  }
  await client.query(
    `INSERT INTO app.proof_problems (part, problem, since) VALUES ($1, $2, $3)
         ON CONFLICT (part) DO UPDATE SET problem = excluded.problem`,
    [part, problem, now],
  )
}

/** How many parts of the public proof failed at their last try. */
export async function problemCount(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ problems: bigint }>(
    'SELECT count(*) AS problems FROM app.proof_problems',
  )
  return Number(rows[0]!.problems)
}
