import type { PoolClient } from 'pg'
import { csvLine } from './table.ts'

const ASSET_COLUMNS = 'title,amount USD,as of,sha256,source'

/** The proof that the open epoch seals: the newest that is published and in no epoch. The older ones are never sealed. */
async function nextProof(
  client: PoolClient,
  epoch: bigint,
): Promise<{ reserves: Buffer; prices: Buffer } | undefined> {
  const { rows } = await client.query<{ reserves: Buffer; prices: Buffer }>(
    `SELECT reserves, prices FROM app.reserve_proofs
      WHERE published_at IS NOT NULL AND (sealed_epoch IS NULL OR sealed_epoch = $1) AND epoch < $1
        AND published_at > coalesce((SELECT max(published_at) FROM app.reserve_proofs WHERE sealed_epoch < $1), '-infinity')
      ORDER BY published_at DESC, id DESC LIMIT 1`,
    [epoch],
  )
  return rows[0]
}

/** The coins that the firm proves; marks the proof as sealed in this epoch. */
export async function reservesFile(
  client: PoolClient,
  { epoch }: { epoch: bigint },
): Promise<Buffer | undefined> {
  const proof = await nextProof(client, epoch)
  if (proof === undefined) return undefined
  await client.query(
    'UPDATE app.reserve_proofs SET sealed_epoch = $1 WHERE reserves = $2 AND sealed_epoch IS NULL',
    [epoch, proof.reserves],
  )
  return proof.reserves
}

export async function pricesFile(
  client: PoolClient,
  { epoch }: { epoch: bigint },
): Promise<Buffer | undefined> {
  return (await nextProof(client, epoch))?.prices
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
  const content = Buffer.from(`${ASSET_COLUMNS}\n${lines.join('')}`)
  const { rows: last } = await client.query<{ content: Buffer }>(
    `SELECT content FROM ledger.epoch_files WHERE name = 'assets.csv' ORDER BY epoch DESC LIMIT 1`,
  )
  const known = last[0]?.content
  const isSame = known === undefined ? lines.length === 0 : known.equals(content)
  return isSame ? undefined : content
}
