import type { DepositMethod } from '#shared/coins.ts'
import { ethereumTokens } from '#shared/token-contracts.ts'
import { coreChain } from './bitcoin/core.ts'
import { esploraChain } from './bitcoin/esplora.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import type { Chain } from './chain.ts'
import { ethereumChain } from './ethereum/json-rpc.ts'
import type { RailConfig } from './rails.ts'
import { tronChain } from './tron/trongrid.ts'
import { tronNetwork } from './tron.ts'

type ChainConfig = Pick<RailConfig, 'mode' | 'rails'>

/** How each network is looked at; undefined where no node or service is configured for it. */
const makers: Record<DepositMethod, (config: ChainConfig) => Chain | undefined> = {
  bitcoin: ({ rails: { bitcoin } }) => {
    const { backend, confirmations } = bitcoin
    if (backend === null) return undefined
    const make = { core: coreChain, esplora: esploraChain }[backend.kind]
    return make(backend.url, { network: bitcoinNetworks[bitcoin.network], confirmations })
  },
  usdt: ({ mode, rails: { usdt } }) => {
    const { url, apiKey, confirmations } = usdt
    if (url === null) return undefined
    const { contract } = tronNetwork({ testNetwork: mode === 'demo' })
    return tronChain({ url, apiKey: apiKey ?? undefined, contract, confirmations })
  },
  ethereum: ({ rails: { ethereum } }) => {
    const { rpcUrl, chainId, confirmations, contracts } = ethereum
    if (rpcUrl === null) return undefined
    return ethereumChain({
      rpcUrl,
      chainId,
      confirmations,
      contracts: ethereumTokens.get(chainId) ?? contracts,
    })
  },
}

/**
 * The side of a rail that looks at its network, for jobs alone; undefined where it is not looked at. It stands apart from
 * `railOf`, since whoever answers requests needs none of what it is made of.
 */
export function chainOf(config: ChainConfig, method: DepositMethod): Chain | undefined {
  return makers[method](config)
}
