import type { Config } from '#server/config.ts'
import { bitcoinKeys } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { ethereumNetworkName } from '#server/rails/ethereum.ts'
import { railOf } from '#server/rails/rails.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import type { BatchWallet, PayoutWallet } from '#shared/batch-coins.ts'
import type { RailName } from '#shared/coins.ts'
import { contractsOn, type TokenContracts } from '#shared/token-contracts.ts'
import type { PayoutRefusal } from './messages.ts'

/** The configured payout address of a coin; null if there is none, and for Bitcoin. */
export function senderOf({ rails }: Pick<Config, 'rails'>, wallet: PayoutWallet): string | null {
  if (wallet === 'Bitcoin (BTC)') return null
  return wallet === 'USDT TRC-20' ? rails.usdt.payoutAddress : rails.ethereum.payoutAddress
}

/** The payout addresses on a rail's network. */
export function sendersOf({ rails }: Pick<Config, 'rails'>, rail: RailName): string[] {
  if (rail === 'bitcoin') return []
  return rails[rail].payoutAddress === null ? [] : [rails[rail].payoutAddress]
}

/** Why batches of a coin are unavailable, or null. */
export function unavailability(config: Config, wallet: PayoutWallet): PayoutRefusal | null {
  const { bitcoin, ethereum, usdt } = config.rails
  if (wallet === 'Bitcoin (BTC)') {
    if (railOf(config, 'bitcoin')?.receiving.kind !== 'derived') return { reason: 'xpub_missing' }
    if (bitcoin.backend === null) {
      return notMonitored('Bitcoin', 'BITCOIN_RPC_URL or BITCOIN_ESPLORA_URL')
    }
    const keys = bitcoin.xpub === null ? [] : bitcoinKeys(bitcoin.xpub).keys
    const hasOrigin = keys.every(({ origin }) => origin !== undefined)
    return hasOrigin ? null : { reason: 'xpub_origin_missing' }
  }
  const isTron = wallet === 'USDT TRC-20'
  if (senderOf(config, wallet) === null) {
    return {
      reason: 'payout_address_missing',
      variable: isTron ? 'TRON_PAYOUT_ADDRESS' : 'ETHEREUM_PAYOUT_ADDRESS',
    }
  }
  if (isTron) return usdt.url === null ? notMonitored('TRON', 'TRONGRID_URL') : null
  if (ethereum.rpcUrl === null) return notMonitored('Ethereum', 'ETHEREUM_RPC_URL')
  const isUnknown = wallet === 'USDT ERC-20' && tokenContracts(config).USDT === undefined
  return isUnknown ? { reason: 'usdt_contract_unknown' } : null
}

function notMonitored(network: string, variables: string): PayoutRefusal {
  return { reason: 'not_monitored', network, variables }
}

/** The known token contracts on Ethereum. */
export function tokenContracts({ rails: { ethereum } }: Pick<Config, 'rails'>): TokenContracts {
  return contractsOn(ethereum.chainId, ethereum.contracts)
}

/** Name of the network that carries a coin's payouts. */
export function networkName(config: Config, wallet: BatchWallet): string {
  if (wallet === 'USDT TRC-20') return tronNetwork({ testNetwork: config.mode === 'demo' }).name
  if (wallet === 'Bitcoin (BTC)') return bitcoinNetworks[config.rails.bitcoin.network].name
  return ethereumNetworkName(config.rails.ethereum.chainId)
}
