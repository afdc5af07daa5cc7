import type { RailName } from '#shared/coins.ts'
import { contractsOn } from '#shared/token-contracts.ts'
import { coreChain } from './bitcoin/core.ts'
import { esploraChain } from './bitcoin/esplora.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import type { Chain } from './chain.ts'
import { ethereumChain } from './ethereum/json-rpc.ts'
import type { RailConfig } from './rails.ts'
import { tronChain } from './tron/trongrid.ts'
import { tronNetwork } from './tron.ts'

type ChainConfig = Pick<RailConfig, 'mode' | 'rails'>

/** Creates the chain of each network; undefined without a configured node or service. */
const makers: Record<RailName, (config: ChainConfig) => Chain | undefined> = {
  bitcoin: ({ rails: { bitcoin } }) => {
    const { backend, confirmations } = bitcoin
    if (backend === null) return undefined
    const make = { core: coreChain, esplora: esploraChain }[backend.kind]
    return make(backend.url, { network: bitcoinNetworks[bitcoin.network], confirmations })
  },
  usdt: ({ mode, rails: { usdt } }) => {
    const { url, apiKey, confirmations, requestsPerSecond } = usdt
    if (url === null) return undefined
    const { contract } = tronNetwork({ testNetwork: mode === 'demo' })
    return tronChain({ url, apiKey: apiKey ?? undefined, contract, confirmations, requestsPerSecond })
  },
  ethereum: ({ rails: { ethereum } }) => {
    const { rpcUrl, chainId, confirmations, contracts } = ethereum
    if (rpcUrl === null) return undefined
    return ethereumChain({
      rpcUrl,
      chainId,
      confirmations,
      contracts: contractsOn(chainId, contracts),
    })
  },
}

/** The chain as a rail's second source shows it; undefined without one. */
export function secondChainOf({ mode, rails }: ChainConfig, rail: RailName): Chain | undefined {
  const { bitcoin, usdt, ethereum } = rails
  const second = {
    bitcoin: { ...bitcoin, backend: bitcoin.second },
    usdt: {
      ...usdt,
      url: usdt.second?.url ?? null,
      apiKey: usdt.second?.apiKey ?? null,
    },
    ethereum: { ...ethereum, rpcUrl: ethereum.secondRpcUrl },
  }
  return makers[rail]({ mode, rails: second })
}

/**
 * The chain of a rail, or undefined if it is not watched. Apart from `railOf`, because only jobs need its
 * dependencies.
 */
export function chainOf(config: ChainConfig, rail: RailName): Chain | undefined {
  return makers[rail](config)
}
