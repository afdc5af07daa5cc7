import type { PoolClient } from 'pg'
import { ASSETS_HEAD, MOST_EPOCHS_LATER } from '#verifier/reserves.mjs'
import { csvLine } from './table.ts'

/**
 * The coins that the firm proves, by the newest published proof; an older one is never sealed. One whose message is too old
 * by now would fail the epoch for every verifier. Marks the proof as sealed in this epoch.
 */
export async function reservesFile(
  client: PoolClient,
  { epoch }: { epoch: bigint },
): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ reserves: Buffer }>(
    `UPDATE app.reserve_proofs SET sealed_epoch = $1
      WHERE id = (SELECT id FROM app.reserve_proofs
                   WHERE published_at > coalesce((SELECT max(published_at) FROM app.reserve_proofs WHERE sealed_epoch IS NOT NULL), '-infinity')
                     AND epoch >= $1 - $2::bigint AND epoch < $1
                   ORDER BY published_at DESC, id DESC LIMIT 1)
      RETURNING reserves`,
    [epoch, MOST_EPOCHS_LATER],
  )
  return rows[0]?.reserves
}

/** Those of the proof that this epoch seals. */
export async function pricesFile(
  client: PoolClient,
  { epoch }: { epoch: bigint },
): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ prices: Buffer }>(
    'SELECT prices FROM app.reserve_proofs WHERE sealed_epoch = $1',
    [epoch],
  )
  return rows[0]?.prices
}

/** The other assets, if they are not those of the last list. */
export async function assetsFile(client: PoolClient): Promise<Buffer | undefined> {
  const { rows } = await client.query<{
    title: string
    amount: string
    as_of: string
    sha256: string
    source: string
  }>(
    `SELECT title, to_char(amount_cents / 100.0, 'FM999999999999990.00') AS amount, as_of::text, encode(sha256, 'hex') AS sha256, source
       FROM app.reserve_documents WHERE confirmed_at IS NOT NULL AND withdrawn_at IS NULL ORDER BY confirmed_at, id`,
  )
  const lines = rows.map(({ title, amount, as_of, sha256, source }) =>
    csvLine([title, amount, as_of, sha256, source]),
  )
  const content = Buffer.from(`${ASSETS_HEAD}\n${lines.join('')}`)
  const { rows: last } = await client.query<{ content: Buffer }>(
    `SELECT content FROM ledger.epoch_files WHERE name = 'assets.csv' ORDER BY epoch DESC LIMIT 1`,
  )
  const known = last[0]?.content
  const isSame = known === undefined ? lines.length === 0 : known.equals(content)
  return isSame ? undefined : content
}
