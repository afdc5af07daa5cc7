import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Secrets } from '#server/platform/encrypted.ts'
import { type LiabilityTree, liabilityTree } from './liabilities.ts'
import { secretOpener } from './secrets.ts'
import { partNonce } from './tags.ts'

/** Rows read or written at once. */
const PAGE = 20_000
const SECRET_BYTES = 32

/** The tree of what investors have at the end of the log, and whose its parts are. */
export type OwedTree = LiabilityTree & { owners: string[]; count: number }

type Owed = { id: string; email: string; cents: bigint; number: bigint | null; sealed_secret: Buffer | null }

/**
 * @returns undefined if nobody has anything
 * @throws Error if an investor has no secret (`makeMissingSecrets`), or one that cannot be opened here
 */
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
    SELECT u.id, u.email, owed.cents, s.number, s.sealed_secret
      FROM (SELECT a.owner, sum(b.balance)::bigint AS cents
              FROM ledger.log_balances b JOIN ledger.accounts a ON a.id = b.account_id
             GROUP BY a.owner HAVING sum(b.balance) > 0) owed
      JOIN app.users u ON u.id = owed.owner
      LEFT JOIN app.proof_secrets s ON s.user_id = u.id`)
  const open = secretOpener(secrets)
  const fetchPage = () => client.query<Owed>(`FETCH ${PAGE} FROM owed`)
  for (let page = fetchPage(); ; ) {
    const { rows } = await page
    if (rows.length === 0) break
    // The database reads the next page while this process hashes this one.
    page = fetchPage()
    // If hashing throws first, nobody waits for it.
    page.catch(() => {})
    const ofPage = rows.map(({ id, email, number, sealed_secret, ...row }) => {
      if (number === null) throw new Error(`investor ${id} has no secret`)
      owners.push(id)
      cents.push(Number(row.cents))
      return partNonce(open(id, sealed_secret) ?? randomBytes(SECRET_BYTES), { email, epoch, number })
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
  let kept: Promise<unknown> = Promise.resolve()
  for (let from = 0; from < owners.length; from += PAGE) {
    const of = owners.slice(from, from + PAGE).map((_, at) => placesOf(from + at))
    const page = [
      epoch,
      owners.slice(from, from + PAGE),
      of.map(list => `{${list.join()}}`),
      of.map(list => `{${Array.from(list, place => parts.values[place]).join()}}`),
    ]
    // The database keeps one page while this process prepares the next.
    await kept
    kept = client.query('SELECT ledger.keep_parts($1, $2, $3, $4)', page)
  }
  await kept
  await client.query('SELECT ledger.drop_parts()')
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
