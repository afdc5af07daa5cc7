import { createHmac, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import { keyRing, type Secrets } from '#server/platform/encrypted.ts'
import { dayOf } from '#shared/moments.ts'

/** A point up to which a run has verified the books (`ledger.verified_points`). */
export type VerifiedPoint = {
  runId: bigint
  /** The first transaction that may not have ended, as text. */
  xid: string
  /** The UTC day of the latest check of everything, as in 2026-01-31. */
  wholeOn: string
  before: Before
}

/** What keeps points: a key that the database does not have, and the time by the product's clock. */
export type PointKeeper = { secrets: Secrets; now: Date }

/** What must stay as it is of everything that was written before it (`ledger.written_before`). */
type Before = Readonly<Record<string, unknown>> & { readonly seals: number }

type PointRow = { run_id: bigint; xid: string; whole_on: string; before: string; signature: Buffer }

/** A distance at which PostgreSQL still tells transactions apart by their age, with much room. */
const MOST_TRANSACTIONS = 1_000_000_000

/**
 * Where this check begins and where the next one may: at the first transaction that has not ended in its snapshot.
 * `latest` is the point of the latest run, undefined where the check must examine everything: for the first check of a
 * UTC day, after a fault, or if the point is not signed by us or something that it covers has changed.
 * @param client in the transaction of the check, with one snapshot
 */
export async function readPoints(client: Client, keeper: PointKeeper) {
  const kept = await keptPoint(client, keeper)
  const { rows } = await client.query<{ xid: string; before: Record<string, [unknown, unknown]> }>(
    `SELECT x.xid::text, ledger.written_before($1, x.xid) AS before
       FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) x`,
    [kept?.xid ?? null],
  )
  const { xid, before } = rows[0]!
  const at = (place: 0 | 1) =>
    Object.fromEntries(Object.entries(before).map(([table, pair]) => [table, pair[place]])) as Before
  const isUnchanged = kept !== undefined && isDeepStrictEqual(at(0), JSON.parse(kept.before))
  const latest: VerifiedPoint | undefined = isUnchanged
    ? { runId: kept.run_id, xid: kept.xid, wholeOn: kept.whole_on, before: at(0) }
    : undefined
  return { latest, next: { xid, before: JSON.stringify(at(1)) } }
}

/**
 * Keeps the point of a run that has found no fault, unless another run was stored, or broken off, since its snapshot:
 * that one may have found a fault.
 * @param client in the transaction of the run
 * @param from the point that the run went on from; undefined if it examined everything
 */
export async function keepPoint(
  client: Client,
  { secrets, now }: PointKeeper,
  next: Pick<PointRow, 'run_id' | 'xid' | 'before'>,
  from: VerifiedPoint | undefined,
): Promise<void> {
  const [key] = keyRing(secrets, PURPOSE)
  const point = { ...next, whole_on: from?.wholeOn ?? dayOf(now) }
  await client.query('SELECT ledger.keep_verified_point($1, $2, $3, $4, $5)', [
    point.run_id,
    point.xid,
    point.whole_on,
    point.before,
    signatureOf(point, key!),
  ])
}

async function keptPoint(client: Client, { secrets, now }: PointKeeper): Promise<PointRow | undefined> {
  const { rows } = await client.query<PointRow>(
    `SELECT p.run_id, p.xid::text, p.whole_on::text, p.before, p.signature
       FROM ledger.verified_points p
      WHERE p.run_id = (SELECT max(id) FROM ledger.invariant_runs)
        -- A database restored into another cluster has other numbers.
        AND pg_snapshot_xmax(pg_current_snapshot())::text::numeric - p.xid::text::numeric BETWEEN 0 AND $1`,
    [MOST_TRANSACTIONS],
  )
  const point = rows[0]
  return point?.whole_on === dayOf(now) && isSigned(point, secrets) ? point : undefined
}

const PURPOSE = 'verified points of the books'

function isSigned(point: PointRow, secrets: Secrets): boolean {
  return keyRing(secrets, PURPOSE).some(key => {
    const expected = signatureOf(point, key)
    return expected.length === point.signature.length && timingSafeEqual(expected, point.signature)
  })
}

function signatureOf({ run_id, xid, whole_on, before }: Omit<PointRow, 'signature'>, key: Buffer): Buffer {
  const lines = ['probity-verified/v1', `run ${run_id}`, `before ${xid}`, `whole on ${whole_on}`, before, '']
  return createHmac('sha256', key).update(lines.join('\n')).digest()
}
