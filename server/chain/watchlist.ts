import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { outpointOf, type Token, type Transfer, type Watched } from '#server/rails/chain.ts'
import { creditableAssets, railOf } from '#server/rails/rails.ts'
import { addressKey } from '#shared/addresses.ts'
import type { RailName } from '#shared/coins.ts'
import { lastIndex } from './numbering.ts'

/** The addresses and outpoints that a sync looks for, normalised by `addressKey`. */
export type Watchlist = Watched & {
  /** Shown to investors. */
  receiving: ReadonlySet<string>
  /** All addresses of our accounts, change included. */
  own: ReadonlySet<string>
  /** Addresses that pay withdrawals. `senders` are these and, on networks with accounts, all of `own`. */
  payers: ReadonlySet<string>
  /** Those of them whose next nonce a new batch takes. */
  numbered: ReadonlySet<string>
  /** Addresses within the gap limit that we gave to nobody: change that the wallet may choose, and the next receiving ones. */
  gap: ReadonlyMap<string, GapAddress>
  /** What is credited at an address without a deposit; at any other, the deposit's own asset is. */
  creditable: ReadonlySet<Token>
}
/** What payouts need watched on a network, as `addressKey` writes it. */
export type PayoutWatch = Pick<Watchlist, 'payers' | 'numbered'> & { recipients: ReadonlySet<string> }
export type ReadPayoutWatch = (
  services: Pick<Services, 'db' | 'config'>,
  rail: RailName,
) => Promise<PayoutWatch>

export type GapAddress = { account: string; branch: 0 | 1; index: number; address: string }

/**
 * Every address ever shown or used for change, in any account, Bitcoin's unspent outpoints there, and payout destinations. The sets belong
 * to this process and change with the next call.
 * @param replaceable height above which a reorg may still undo spends
 */
export async function watchlistOf(
  services: Pick<Services, 'db' | 'config'>,
  rail: RailName,
  readPayouts: ReadPayoutWatch,
  replaceable: number,
): Promise<Watchlist> {
  const { db, config } = services
  const known = knownOf(db, rail)
  await readNewAddresses(db, rail, known)
  const payouts = await readPayouts(services, rail)
  const gap = await gapAddresses(db, config, rail)
  exchange(known.own, known.gap, { keys: gap.keys(), except: known.rows })
  exchange(known.addresses, known.payouts, {
    keys: [...gap.keys(), ...payouts.recipients],
    except: known.rows,
  })
  exchange(known.senders, known.payers, { keys: payouts.payers, except: known.rows })
  const unspent = rail === 'bitcoin' ? await unspentOutpoints(db, replaceable) : []
  return {
    addresses: known.addresses,
    receiving: known.receiving,
    own: known.own,
    senders: known.senders,
    payers: payouts.payers,
    numbered: payouts.numbered,
    gap,
    creditable: creditableAssets(config, rail),
    outpoints: new Set(unspent),
  }
}

/** Replaces the temporary members of a set, except those that are permanent. */
function exchange(
  of: Set<string>,
  added: Set<string>,
  { keys, except }: { keys: Iterable<string>; except: ReadonlySet<string> },
): void {
  for (const key of added) if (!except.has(key)) of.delete(key)
  added.clear()
  for (const key of keys) {
    added.add(key)
    of.add(key)
  }
}

/**
 * True if a transfer pays one of our accounts or is sent by us. A payout destination alone does not count: it may be an exchange's address
 * with thousands of payments a day.
 */
export function concerns(
  { own, senders, outpoints }: Watchlist,
  { address, from }: Pick<Transfer, 'address' | 'from'>,
): boolean {
  return own.has(address) || from.some(sender => senders.has(sender) || outpoints.has(sender))
}

/** The addresses this process has read; none is ever deleted. */
type Known = {
  rows: Set<string>
  receiving: Set<string>
  /** `rows` and gap addresses. */
  own: Set<string>
  /** `own` and payout destinations. */
  addresses: Set<string>
  /** On networks with accounts, `rows` and the addresses that pay withdrawals. */
  senders: Set<string>
  /** Temporary members of those three. */
  gap: Set<string>
  payouts: Set<string>
  payers: Set<string>
  /** The last receiving index of each account. */
  last: Map<string, number>
}

const knownAddresses = new WeakMap<Kysely<Schema>, Map<RailName, Known>>()

function knownOf(db: Kysely<Schema>, rail: RailName): Known {
  const ofDatabase = knownAddresses.get(db) ?? new Map<RailName, Known>()
  knownAddresses.set(db, ofDatabase)
  const known = ofDatabase.get(rail) ?? {
    rows: new Set(),
    receiving: new Set(),
    own: new Set(),
    addresses: new Set(),
    senders: new Set(),
    gap: new Set(),
    payouts: new Set(),
    payers: new Set(),
    last: new Map(),
  }
  ofDatabase.set(rail, known)
  return known
}

/** Receiving addresses read per query and account. */
const MOST = 10_000

/**
 * Reads new addresses. Receiving indexes are assigned serially (deposits/addresses.ts), so all below the last one read are known. Change is
 * read whole, since the wallet may choose any of it.
 */
async function readNewAddresses(db: Kysely<Schema>, rail: RailName, known: Known): Promise<void> {
  const last = [...known.last]
  const { rows } = await sql<{
    account: string
    branch: number
    index: number
    key: string
    assigned: boolean
  }>`
    WITH RECURSIVE accounts AS (
      (SELECT account, branch FROM app.payment_addresses ORDER BY account, branch LIMIT 1)
      UNION ALL
      SELECT next.account, next.branch
        FROM accounts
       CROSS JOIN LATERAL (SELECT account, branch FROM app.payment_addresses a
                            WHERE (a.account, a.branch) > (accounts.account, accounts.branch)
                            ORDER BY account, branch LIMIT 1) AS next
    )
    SELECT a.account, a.branch, a.address_index AS index, app.address_key(a.address) AS key, a.user_id IS NOT NULL AS assigned
      FROM accounts
      LEFT JOIN unnest(${last.map(([account]) => account)}::text[], ${last.map(([, index]) => index)}::integer[])
             AS known (account, index) ON known.account = accounts.account AND accounts.branch = 0
     CROSS JOIN LATERAL (
       SELECT *
         FROM app.payment_addresses a
        WHERE a.account = accounts.account AND a.branch = accounts.branch AND a.address_index > coalesce(known.index, -1)
        ORDER BY a.address_index
        LIMIT ${MOST}
     ) AS a
     WHERE a.rail = ${rail}
     ORDER BY a.account, a.branch, a.address_index`.execute(db)
  for (const { account, branch, index, key, assigned } of rows) {
    known.rows.add(key)
    known.own.add(key)
    known.addresses.add(key)
    if (rail !== 'bitcoin') known.senders.add(key)
    if (branch === 1) continue
    if (assigned) known.receiving.add(key)
    known.last.set(account, index)
  }
  if (rows.filter(({ branch }) => branch === 0).length >= MOST) await readNewAddresses(db, rail, known)
}

/** Our outputs that are unspent, or spent in a block that a reorg may still replace. */
async function unspentOutpoints(db: Kysely<Schema>, replaceable: number): Promise<string[]> {
  const rows = await db
    .selectFrom('app.chain_transfers')
    .select(['transaction_id', 'position'])
    .where('rail', '=', 'bitcoin')
    .where('own', '=', true)
    .where(sql<boolean>`coalesce(spent_height, 2147483647) > ${replaceable}`)
    .where('dropped_at', 'is', null)
    .execute()
  return rows.map(({ transaction_id, position }) => outpointOf(transaction_id, position))
}

/**
 * Gap limit (BIP-44). The wallet may choose change addresses itself, when raising a fee or consolidating manually. A payment to one of the
 * next receiving addresses shows that somebody else numbers them too: this database was restored, or the key is used elsewhere.
 */
const GAP_LIMIT = 20

async function gapAddresses(
  db: Kysely<Schema>,
  config: Services['config'],
  rail: RailName,
): Promise<Map<string, GapAddress>> {
  const receiving = railOf(config, rail)?.receiving
  if (receiving?.kind !== 'derived') return new Map()
  const { account, addressAt } = receiving
  const next = (await lastIndex(db, account)) + 1
  const ahead = Array.from({ length: GAP_LIMIT }, (_, n) => ({ branch: 0 as const, index: next + n }))
  const change = rail === 'bitcoin' ? await unusedChange(db, account) : []
  return new Map(
    [...ahead, ...change].map(({ branch, index }) => {
      const address = derived(`${account}/${branch}/${index}`, () => addressAt(branch, index))
      return [addressKey(address), { account, branch, index, address }]
    }),
  )
}

async function unusedChange(db: Kysely<Schema>, account: string): Promise<{ branch: 1; index: number }[]> {
  const rows = await db
    .selectFrom('app.payment_addresses')
    .select('address_index')
    .where('account', '=', account)
    .where('branch', '=', 1)
    .execute()
  const known = new Set(rows.map(({ address_index }) => address_index))
  const end = Math.max(-1, ...known) + 1 + GAP_LIMIT
  const unused = Array.from({ length: end }, (_, index) => index).filter(index => !known.has(index))
  return unused.map(index => ({ branch: 1, index }))
}

/** Cached, because we sync every second. */
const derivedAddresses = new Map<string, string>()

function derived(name: string, derive: () => string): string {
  const known = derivedAddresses.get(name)
  if (known !== undefined) return known
  const address = derive()
  derivedAddresses.set(name, address)
  return address
}
