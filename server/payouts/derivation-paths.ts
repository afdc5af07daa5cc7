import { HARDENED_OFFSET } from '@scure/bip32'
import { type Kysely, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { parseEthereumAccount } from '#server/rails/ethereum/addresses.ts'
import { parseTronAccount } from '#server/rails/tron/addresses.ts'
import { addressKey } from '#shared/addresses.ts'

/** Networks with accounts: each deposit's address has a key of its own. */
export type AccountNetwork = 'ethereum' | 'usdt'

/**
 * Where a wallet finds the keys of our addresses (BIP-32), as "m/44'/60'/0'/0/5"; nothing for other addresses.
 * @returns by `addressKey`
 */
export async function derivationPaths(
  db: Kysely<Schema>,
  { rails }: Pick<Config, 'rails'>,
  rail: AccountNetwork,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  const account = accountPath(rails, rail)
  const rows = await db
    .selectFrom('app.payment_addresses')
    .select(['address', 'branch', 'address_index'])
    .where('rail', '=', rail)
    .where(sql<boolean>`app.address_key(address) = ANY (${addresses.map(addressKey)}::text[])`)
    .execute()
  return new Map(rows.map(row => [addressKey(row.address), `${account}/${row.branch}/${row.address_index}`]))
}

/** The account's path by the key's origin; a key without one is that of BIP-44. */
function accountPath({ ethereum, usdt }: Config['rails'], rail: AccountNetwork): string {
  const { xpub } = rail === 'ethereum' ? ethereum : usdt
  if (xpub === null) return 'm'
  const { origin, key } = rail === 'ethereum' ? parseEthereumAccount(xpub) : parseTronAccount(xpub)
  const coin = rail === 'ethereum' ? 60 : 195
  const steps = origin?.path ?? [44 + HARDENED_OFFSET, coin + HARDENED_OFFSET, key.index]
  const words = steps.map(step => (step < HARDENED_OFFSET ? `${step}` : `${step - HARDENED_OFFSET}'`))
  return ['m', ...words].join('/')
}
