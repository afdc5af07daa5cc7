import type { Config } from '#server/config.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'
import { addressAt, bitcoinAccount } from './bitcoin/addresses.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import { bitcoinRail } from './bitcoin.ts'
import { ethereumAddressAt, parseEthereumAccount } from './ethereum/addresses.ts'
import { ethereumRail } from './ethereum.ts'
import { accountName } from './hd.ts'
import type { Rail, Receiving } from './rail.ts'
import { parseTronAccount, tronAddressAt } from './tron/addresses.ts'
import { tronRail } from './tron.ts'

export type RailConfig = Pick<Config, 'mode' | 'paymentAddresses' | 'rails'>
type Settings = Config['rails']

/** Creates the rail of each method. */
const makers: Record<DepositMethod, (receiving: Receiving, config: RailConfig) => Rail> = {
  bitcoin: (receiving, { rails }) => bitcoinRail(receiving, bitcoinNetworks[rails.bitcoin.network].name),
  usdt: (receiving, { mode }) => tronRail(receiving, { testNetwork: mode === 'demo' }),
  ethereum: (receiving, { rails }) => ethereumRail(receiving, rails.ethereum),
}

/** Each rail's account, or undefined without an extended key. */
const accounts: Record<DepositMethod, (settings: Settings) => Receiving | undefined> = {
  bitcoin: ({ bitcoin }) => {
    if (bitcoin.xpub === null) return undefined
    const account = bitcoinAccount(bitcoin.xpub, bitcoinNetworks[bitcoin.network])
    return {
      kind: 'derived',
      account: account.name,
      addressAt: (branch, index) => addressAt(account, branch, index),
    }
  },
  usdt: ({ usdt }) => {
    if (usdt.xpub === null) return undefined
    const key = parseTronAccount(usdt.xpub)
    return onlyReceiving(accountName(key, 'tron'), index => tronAddressAt(key, index))
  },
  ethereum: ({ ethereum }) => {
    if (ethereum.xpub === null) return undefined
    const key = parseEthereumAccount(ethereum.xpub)
    return onlyReceiving(accountName(key, 'ethereum'), index => ethereumAddressAt(key, index))
  },
}

/** Account-based networks have no change: the rest stays at its address. */
function onlyReceiving(account: string, addressOf: (index: number) => string): Receiving {
  const addressAt = (branch: 0 | 1, index: number) => {
    if (branch === 0) return addressOf(index)
    throw new RangeError('this network has no change addresses')
  }
  return { kind: 'derived', account, addressAt }
}

/** Keys are parsed once, because parsing costs more than deriving an address. */
const known = new WeakMap<Settings, Map<DepositMethod, Receiving | undefined>>()

function accountOf(settings: Settings, method: DepositMethod): Receiving | undefined {
  const ofSettings = known.get(settings) ?? new Map<DepositMethod, Receiving | undefined>()
  known.set(settings, ofSettings)
  if (!ofSettings.has(method)) ofSettings.set(method, accounts[method](settings))
  return ofSettings.get(method)
}

/** The rail of a payment method; undefined if neither a key nor an address is configured, so that it is not offered. A key comes first. */
export function railOf(config: RailConfig, method: DepositMethod): Rail | undefined {
  const address = config.paymentAddresses[method]
  const fixed = address === undefined ? undefined : ({ kind: 'fixed', address } as const)
  const receiving = accountOf(config.rails, method) ?? fixed
  return receiving && makers[method](receiving, config)
}

/** The configured payment methods. */
export function offeredMethods(config: RailConfig): DepositMethod[] {
  return depositMethods.filter(method => railOf(config, method) !== undefined)
}
