import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Secrets } from '#server/platform/encrypted.ts'
import { type LiabilityTree, liabilityTree } from './liabilities.ts'
import { secretsOf } from './secrets.ts'
import { partNonce } from './tags.ts'

/** Rows read or written at once. */
const PAGE = 20_000
const SECRET_BYTES = 32
/** Epochs whose parts are kept: an investor who comes back later finds theirs in a later epoch. */
const KEPT_EPOCHS = 8n

/** The tree of what investors have at the end of the log, and whose its parts are. */
export type OwedTree = LiabilityTree & { owners: string[]; count: number }

/** @returns undefined if nobody has anything */
export async function owedTree(
  client: PoolClient,
  secrets: Secrets,
  epoch: bigint,
): Promise<OwedTree | undefined> {
  const owners: string[] = []
  const cents: number[] = []
  const nonces: Buffer[] = []
  await client.query(`
    DECLARE owed NO SCROLL CURSOR FOR
    SELECT u.id, u.email, owed.cents
      FROM (SELECT a.owner, sum(b.balance)::bigint AS cents
              FROM ledger.log_balances b JOIN ledger.accounts a ON a.id = b.account_id
             GROUP BY a.owner HAVING sum(b.balance) > 0) owed
      JOIN app.users u ON u.id = owed.owner`)
  for (;;) {
    const { rows } = await client.query<{ id: string; email: string; cents: bigint }>(
      `FETCH ${PAGE} FROM owed`,
    )
    if (rows.length === 0) break
    const found = await secretsOf(
      client,
      secrets,
      rows.map(({ id }) => id),
    )
    const ofPage = rows.map(row => {
      const { number, secret } = found.get(row.id)!
      owners.push(row.id)
      cents.push(Number(row.cents))
      return partNonce(secret ?? randomBytes(SECRET_BYTES), { email: row.email, epoch, number })
    })
    // A million buffers of their own would take six times their bytes.
    nonces.push(Buffer.concat(ofPage))
  }
  await client.query('CLOSE owed')
  const tree = liabilityTree({ cents: Float64Array.from(cents), nonces: Buffer.concat(nonces) })
  return tree && { ...tree, owners, count: tree.parts.owners.length }
}

/** Keeps whose parts are where, so that each investor finds theirs. */
export async function keepParts(
  client: PoolClient,
  epoch: bigint,
  { owners, parts }: OwedTree,
): Promise<void> {
  const placesOf = placesByOwner(parts.owners, owners.length)
  for (let from = 0; from < owners.length; from += PAGE) {
    const of = owners.slice(from, from + PAGE).map((_, at) => placesOf(from + at))
    await client.query('SELECT ledger.keep_parts($1, $2, $3, $4)', [
      epoch,
      owners.slice(from, from + PAGE),
      of.map(list => `{${list.join()}}`),
      of.map(list => `{${Array.from(list, place => parts.values[place]).join()}}`),
    ])
  }
  await client.query('SELECT ledger.drop_parts($1)', [epoch - KEPT_EPOCHS + 1n])
}

/** The places of each owner's parts, in ascending order: two arrays instead of one for each owner. */
function placesByOwner(ownerOf: Uint32Array, owners: number): (owner: number) => Uint32Array {
  const ends = new Uint32Array(owners + 1)
  for (const owner of ownerOf) ends[owner + 1]! += 1
  for (let owner = 0; owner < owners; owner++) ends[owner + 1]! += ends[owner]!
  const next = ends.slice()
  const places = new Uint32Array(ownerOf.length)
  for (let place = 0; place < ownerOf.length; place++) places[next[ownerOf[place]!]!++] = place
  return owner => places.subarray(ends[owner], ends[owner + 1])
}
