import { loadConfig } from '#server/config.ts'
import { addressAt, bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { payoutsIn } from './payouts.ts'
import { testRoot, tpub } from './watched.ts'
import type { Person, World } from './world.ts'

const origin = `${testRoot.fingerprint.toString(16).padStart(8, '0')}/84h/1h/0h`
const xpub = `wpkh([${origin}]${tpub}/<0;1>/*)`
/** The firm's account for payouts, with the origin that a device needs. */
export const payingAccount = bitcoinAccount(xpub, bitcoinNetworks.regtest)
const payees = bitcoinAccount(testRoot.derive("m/84'/1'/7'").publicExtendedKey, bitcoinNetworks.regtest)
/** A foreign address for each number. */
export const payeeAddress = (n: number) => addressAt(payees, 0, n)

/** Rails with Bitcoin watched and paying; its node is never queried. */
export function payingBitcoinRails() {
  const { rails } = loadConfig({ TOKEN_SECRET: 'x'.repeat(32) })
  const backend = { kind: 'core', url: 'http://user:password@127.0.0.1:9' } as const
  return { ...rails, bitcoin: { ...rails.bitcoin, xpub, backend } }
}

/** A transaction id of Bitcoin's form for each number. */
export const bitcoinTransaction = (n: number) => n.toString(16).padStart(64, '0')

/**
 * An output of the firm, paid by a transaction to an investor's receiving address.
 * @param block the height of its block; null if unconfirmed
 * @returns its outpoint
 */
export async function bitcoinOutput(
  world: World,
  {
    owner,
    index,
    ...of
  }: { owner: Person; index: number; transactionId: string; units: bigint; block: number | null },
): Promise<string> {
  const address = addressAt(payingAccount, 0, index)
  await world.owner(
    `INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
     VALUES ('${payingAccount.name}', 0, ${index}, 'bitcoin', '${address}', '${owner.id}', now(), now())`,
  )
  const { sees } = payoutsIn(() => world)
  await sees({ rail: 'bitcoin', token: 'BTC', position: 1, address, from: ['x:0'], ...of })
  return `${of.transactionId}:1`
}
