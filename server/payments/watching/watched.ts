import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { payoutAddresses } from '#server/payments/payouts/assess.ts'
import { payersOf } from '#server/payments/payouts/files.ts'
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
  payers: ReadonlySet<string>
  /** Change addresses that no batch has chosen yet, and the wallet may. */
  spare: ReadonlyMap<string, SpareAddress>
}
export type SpareAddress = { account: string; index: number; address: string }

/**
 * Every address that was ever shown or took change, whatever account is configured now, and Bitcoin's outpoints there that are not
 * known to be spent in a block; and where payouts go, by which they are known.
 */
export async function watchedOf(
  { db, config }: Pick<Services, 'db' | 'config'>,
  method: DepositMethod,
): Promise<WatchedHere> {
  const addresses = await db
    .selectFrom('app.payment_addresses')
    .select(['branch', sql<string>`app.address_key(address)`.as('key')])
    .where('method', '=', method)
    .execute()
  const payouts = await payoutAddresses(db, method)
  const spare = await spareChange(db, config, method)
  const own = new Set([...addresses.map(({ key }) => key), ...spare.keys()])
  const receiving = addresses.filter(({ branch }) => branch === 0).map(({ key }) => key)
  return {
    addresses: new Set([...own, ...payouts.addresses]),
    receiving: new Set(receiving),
    own,
    payers: new Set([...payouts.payers, ...payersOf(config, method).map(addressKey)]),
    spare,
    outpoints: new Set([...(method === 'bitcoin' ? await unspentOutpoints(db) : []), ...payouts.outpoints]),
  }
}

/**
 * Whether a transfer has to do with the firm: it comes to an address of its accounts, or is sent by it. Where payouts go may be the
 * address of an exchange, which thousands pay every day.
 */
export function concerns(
  { own, payers, outpoints }: WatchedHere,
  { address, from }: Pick<Transfer, 'address' | 'from'>,
): boolean {
  return own.has(address) || from.some(sender => payers.has(sender) || outpoints.has(sender))
}

/** What others were paid by a batch is not ours to spend. */
async function unspentOutpoints(db: Kysely<Schema>): Promise<string[]> {
  const rows = await db
    .selectFrom('app.chain_transfers as t')
    .select(['t.transaction_id', 't.position'])
    .where('t.method', '=', 'bitcoin')
    .where('t.spent_height', 'is', null)
    .where('t.gone_at', 'is', null)
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
