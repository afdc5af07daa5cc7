import type { Config } from '#server/config.ts'
import {
  type DepositMethod,
  depositMethods,
  methodsOn,
  paymentMethods,
  type RailName,
} from '#shared/coins.ts'
import { isToken } from '#shared/payment-tokens.ts'
import { addressAt, bitcoinAccount } from './bitcoin/addresses.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import { bitcoinMethod, bitcoinNetworkOf } from './bitcoin.ts'
import { ethereumAddressAt, parseEthereumAccount } from './ethereum/addresses.ts'
import { ethereumMethod, ethereumNetworkName, tokenMethod } from './ethereum.ts'
import { accountName } from './hd.ts'
import type { CoinAsset, PaymentMethod, Rail, Receiving } from './rail.ts'
import { parseTronAccount, tronAddressAt } from './tron/addresses.ts'
import { tronMethod, tronNetwork } from './tron.ts'

export type RailConfig = Pick<Config, 'mode' | 'paymentAddresses' | 'rails'>
type Settings = Config['rails']

/** Creates each payment method on its rail. */
const makers: Record<DepositMethod, (rail: Rail, config: RailConfig) => PaymentMethod> = {
  bitcoin: bitcoinMethod,
  usdt: tronMethod,
  ethereum: (rail, { rails }) => ethereumMethod(rail, rails.ethereum),
  'usdt-erc20': tokenMethod('usdt-erc20'),
  'usdc-erc20': tokenMethod('usdc-erc20'),
}

/** Each network's name for people. */
const networks: Record<RailName, (receiving: Receiving, config: RailConfig) => string> = {
  bitcoin: (receiving, { rails }) =>
    receiving.kind === 'fixed'
      ? bitcoinNetworkOf(receiving.address)
      : bitcoinNetworks[rails.bitcoin.network].name,
  usdt: (_receiving, { mode }) => tronNetwork({ testNetwork: mode === 'demo' }).name,
  ethereum: (_receiving, { rails }) => ethereumNetworkName(rails.ethereum.chainId),
}

/** Each rail's account, or undefined without an extended key. */
const accounts: Record<RailName, (settings: Settings) => Receiving | undefined> = {
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
const known = new WeakMap<Settings, Map<RailName, Receiving | undefined>>()

function accountOf(settings: Settings, rail: RailName): Receiving | undefined {
  const ofSettings = known.get(settings) ?? new Map<RailName, Receiving | undefined>()
  known.set(settings, ofSettings)
  if (!ofSettings.has(rail)) ofSettings.set(rail, accounts[rail](settings))
  return ofSettings.get(rail)
}

/** A rail; undefined if neither a key nor an address is configured for it. A key comes first. */
export function railOf(config: RailConfig, name: RailName): Rail | undefined {
  const address = config.paymentAddresses[name]
  const fixed = address === undefined ? undefined : ({ kind: 'fixed', address } as const)
  const receiving = accountOf(config.rails, name) ?? fixed
  return receiving && { name, network: networks[name](receiving, config), receiving }
}

/** A payment method as configured; undefined if it is not offered. */
export function paymentMethodOf(config: RailConfig, method: DepositMethod): PaymentMethod | undefined {
  if (isToken(method) && !config.rails.ethereum.paymentTokens.includes(method)) return undefined
  const rail = railOf(config, paymentMethods[method].rail)
  return rail && makers[method](rail, config)
}

/** The assets that we credit at a rail's addresses before a deposit says which: its own coin, and those of the offered methods. */
export function creditableAssets(config: RailConfig, rail: RailName): Set<CoinAsset> {
  const [own, ...others] = methodsOn(rail)
  const offered = others.filter(method => paymentMethodOf(config, method) !== undefined)
  return new Set([own!, ...offered].map(method => paymentMethods[method].asset))
}

/** The configured payment methods. */
export function offeredMethods(config: RailConfig): DepositMethod[] {
  return depositMethods.filter(method => paymentMethodOf(config, method) !== undefined)
}
