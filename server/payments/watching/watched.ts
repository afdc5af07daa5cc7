import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { sendersOf } from '#server/payments/payouts/files.ts'
import { payoutAddresses } from '#server/payments/payouts/watched.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { outpointOf, type Transfer, type Watched } from '#server/rails/chain.ts'
import { railOf } from '#server/rails/rails.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositMethod } from '#shared/coins.ts'

/** What a network is looked at for. Addresses are as `addressKey` writes them. */
export type WatchedHere = Watched & {
  /** Those that were shown to investors. */
  receiving: ReadonlySet<string>
  /** All of the firm's accounts, change as well. */
  own: ReadonlySet<string>
  /** Those that payouts are sent from. */
  senders: ReadonlySet<string>
  /** Change addresses that no batch has chosen yet, and the wallet may. */
  spare: ReadonlyMap<string, SpareAddress>
}
export type SpareAddress = { account: string; index: number; address: string }

/**
 * Every address that was ever shown or took change, whatever account is configured now, and Bitcoin's outpoints there that are not
 * known to be spent for good; and where payouts go, by which they are known. The sets are this process's own and change with the
 * next call.
 * @param replaceable the height above which blocks may still be replaced: what they spend may be spent anew
 */
export async function watchedOf(
  { db, config }: Pick<Services, 'db' | 'config'>,
  method: DepositMethod,
  replaceable: number,
): Promise<WatchedHere> {
  const known = knownOf(db, method)
  await learn(db, method, known)
  const payouts = await payoutAddresses(db, method)
  const spare = await spareChange(db, config, method)
  exchange(known.own, known.spare, { keys: spare.keys(), except: known.rows })
  exchange(known.addresses, known.payouts, {
    keys: [...spare.keys(), ...payouts.addresses],
    except: known.rows,
  })
  const unspent = method === 'bitcoin' ? await unspentOutpoints(db, replaceable) : []
  return {
    addresses: known.addresses,
    receiving: known.receiving,
    own: known.own,
    senders: new Set([...payouts.senders, ...sendersOf(config, method).map(addressKey)]),
    spare,
    outpoints: new Set([...unspent, ...payouts.outpoints]),
  }
}

/** Takes what was added last time out of a set, but for what is there for good, and adds what there is now. */
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
 * Whether a transfer has to do with the firm: it comes to an address of its accounts, or is sent by it. Where payouts go may be the
 * address of an exchange, which thousands pay every day.
 */
export function concerns(
  { own, senders, outpoints }: WatchedHere,
  { address, from }: Pick<Transfer, 'address' | 'from'>,
): boolean {
  return own.has(address) || from.some(sender => senders.has(sender) || outpoints.has(sender))
}

/** Addresses that this process has read: none is ever taken out of the database. */
type Known = {
  rows: Set<string>
  receiving: Set<string>
  /** `rows`, and change that the wallet may choose. */
  own: Set<string>
  /** `own`, and where payouts go. */
  addresses: Set<string>
  /** What was added last time to each of those two. */
  spare: Set<string>
  payouts: Set<string>
  /** The last receiving index of each account. */
  last: Map<string, number>
}

const knownAddresses = new WeakMap<Kysely<Schema>, Map<DepositMethod, Known>>()

function knownOf(db: Kysely<Schema>, method: DepositMethod): Known {
  const ofDatabase = knownAddresses.get(db) ?? new Map<DepositMethod, Known>()
  knownAddresses.set(db, ofDatabase)
  const known = ofDatabase.get(method) ?? {
    rows: new Set(),
    receiving: new Set(),
    own: new Set(),
    addresses: new Set(),
    spare: new Set(),
    payouts: new Set(),
    last: new Map(),
  }
  ofDatabase.set(method, known)
  return known
}

/** Receiving addresses of one account that are read in one go. */
const MOST = 10_000

/**
 * Reads those that are new. The receiving indexes of an account are given one after the other, each in a transaction that ends before the
 * next one is given, so what lies before the last that was read was read. Change, an address or two a payout, is read whole: the wallet
 * chooses some of it by itself.
 */
async function learn(db: Kysely<Schema>, method: DepositMethod, known: Known): Promise<void> {
  const last = [...known.last]
  const { rows } = await sql<{ account: string; branch: number; index: number; key: string }>`
    WITH RECURSIVE accounts AS (
      (SELECT account, branch FROM app.payment_addresses ORDER BY account, branch LIMIT 1)
      UNION ALL
      SELECT next.account, next.branch
        FROM accounts
       CROSS JOIN LATERAL (SELECT account, branch FROM app.payment_addresses a
                            WHERE (a.account, a.branch) > (accounts.account, accounts.branch)
                            ORDER BY account, branch LIMIT 1) AS next
    )
    SELECT a.account, a.branch, a.address_index AS index, app.address_key(a.address) AS key
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
     WHERE a.method = ${method}
     ORDER BY a.account, a.branch, a.address_index`.execute(db)
  for (const { account, branch, index, key } of rows) {
    known.rows.add(key)
    known.own.add(key)
    known.addresses.add(key)
    if (branch === 1) continue
    known.receiving.add(key)
    known.last.set(account, index)
  }
  if (rows.filter(({ branch }) => branch === 0).length >= MOST) await learn(db, method, known)
}

/** What others were paid by a batch is not ours to spend. */
async function unspentOutpoints(db: Kysely<Schema>, replaceable: number): Promise<string[]> {
  const rows = await db
    .selectFrom('app.chain_transfers as t')
    .select(['t.transaction_id', 't.position'])
    .where('t.method', '=', 'bitcoin')
    .where(({ or, eb }) => or([eb('t.spent_height', 'is', null), eb('t.spent_height', '>', replaceable)]))
    .where('t.dropped_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('app.payment_addresses as a')
          .select('a.address_index')
          .where('a.method', '=', 'bitcoin')
          .where(sql<boolean>`app.address_key(a.address) = t.address`),
      ),
    )
    .execute()
  return rows.map(({ transaction_id, position }) => outpointOf(transaction_id, position))
}

/**
 * The wallet chooses change addresses of its own: for a higher fee, or where somebody gathers small amounts by hand. As many after
 * the last one that is known as wallets look for themselves (gap limit, BIP-44).
 */
const SPARE = 20

async function spareChange(
  db: Kysely<Schema>,
  config: Services['config'],
  method: DepositMethod,
): Promise<Map<string, SpareAddress>> {
  const receiving = method === 'bitcoin' ? railOf(config, method)?.receiving : undefined
  if (receiving?.kind !== 'derived') return new Map()
  const { account, addressAt } = receiving
  const rows = await db
    .selectFrom('app.payment_addresses')
    .select('address_index')
    .where('account', '=', account)
    .where('branch', '=', 1)
    .execute()
  const known = new Set(rows.map(({ address_index }) => address_index))
  const end = Math.max(-1, ...known) + 1 + SPARE
  const spare = Array.from({ length: end }, (_, index) => index).filter(index => !known.has(index))
  return new Map(
    spare.map(index => {
      const address = derived(account, index, addressAt)
      return [addressKey(address), { account, index, address }]
    }),
  )
}

/** Derived once: a network is looked at every second. */
const changeAddresses = new Map<string, string>()

function derived(
  account: string,
  index: number,
  addressAt: (branch: 0 | 1, index: number) => string,
): string {
  const name = `${account}/${index}`
  const known = changeAddresses.get(name)
  if (known !== undefined) return known
  const address = addressAt(1, index)
  changeAddresses.set(name, address)
  return address
}
