import type { Pool } from 'pg'

/** A verified line that another key than the log's has added to an epoch's checkpoint (C2SP tlog-cosignature). */
export type Cosignature = {
  epoch: bigint
  kind: 'witness' | 'auditor'
  vkey: string
  /** Of the note, without its line end. */
  line: string
  cosignedAt: Date
}

/** Stores a cosignature, which is published from then on. The first one of a key on a checkpoint stays. */
export async function storeCosignature(
  pool: Pool,
  { epoch, kind, vkey, line, cosignedAt }: Cosignature,
  now: Date,
): Promise<void> {
  await pool.query('SELECT ledger.add_cosignature($1, $2, $3, $4, $5, $6)', [
    epoch,
    kind,
    vkey,
    line,
    cosignedAt,
    now,
  ])
}

/** Who has cosigned, each with the newest cosignature. @param auditor the configured one's key: nobody else counts as one */
export async function newestCosignatures(
  pool: Pool,
  auditor: string | null,
): Promise<{ name: string; kind: Cosignature['kind']; epoch: number; time: string }[]> {
  const { rows } = await pool.query<{
    name: string
    kind: Cosignature['kind']
    epoch: bigint
    cosigned_at: Date
  }>(
    `SELECT DISTINCT ON (vkey) name, kind, epoch, cosigned_at FROM ledger.cosignatures
      WHERE kind = 'witness' OR vkey = $1 ORDER BY vkey, epoch DESC`,
    [auditor],
  )
  return rows.map(({ name, kind, epoch, cosigned_at }) => {
    return { name, kind, epoch: Number(epoch), time: cosigned_at.toISOString() }
  })
}
