import { bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { type BitcoinNetworkName, bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { parseEthereumAccount } from '#server/rails/ethereum/addresses.ts'
import { type AccountKey, KeyFault, parseAccountKey } from '#server/rails/hd.ts'
import { parseTronAccount } from '#server/rails/tron/addresses.ts'
import { addressNetwork, extendedKeyKind, lossFault } from '#shared/addresses.ts'
import type { DepositMethod, WithdrawalWallet } from '#shared/coins.ts'
import { type Environment, isLoopback, type Variable } from './environment.ts'
import { givenContracts } from './payment-addresses.ts'

/** How each rail looks at its network and receives at addresses of an account; all but confirmations and networks may be missing. */
export type RailSettings = {
  bitcoin: {
    network: BitcoinNetworkName
    /** Extended public key or descriptor (server/rails/hd.ts). */
    xpub: string | null
    /** `core`: JSON-RPC of Bitcoin Core, user and password in the URL. `esplora`: HTTP interface of Esplora. */
    backend: { kind: 'core' | 'esplora'; url: string } | null
    confirmations: number
  }
  ethereum: {
    /** EIP-155. */
    chainId: number
    xpub: string | null
    /** JSON-RPC over HTTP. */
    rpcUrl: string | null
    confirmations: number
    /** What payouts are sent from. */
    payoutAddress: string | null
    /** Of a network whose contracts are not known. */
    contracts: { USDT?: string; USDC?: string }
  }
  usdt: {
    xpub: string | null
    /** TronGrid's HTTP interface; null: TRON is not synced. */
    url: string | null
    apiKey: string | null
    confirmations: number
    payoutAddress: string | null
  }
}

const mainChainId = 1
const sepoliaChainId = 11_155_111
/** EIP-155: Sepolia, Hoodi, Holesky, and what Ganache and Geth's developer mode, Anvil and Hardhat are on a machine of one's own. */
const testChainIds: readonly number[] = [sepoliaChainId, 560_048, 17_000, 1337, 31_337]
const tronGrid = { live: 'https://api.trongrid.io', demo: 'https://nile.trongrid.io' } as const

/** The rails' settings of an environment that `railFaults` finds nothing wrong with. */
export function railSettings(env: Environment): RailSettings {
  const live = env.MODE === 'live'
  const core = env.BITCOIN_RPC_URL && ({ kind: 'core', url: env.BITCOIN_RPC_URL } as const)
  const esplora = env.BITCOIN_ESPLORA_URL && ({ kind: 'esplora', url: env.BITCOIN_ESPLORA_URL } as const)
  const tronIsWatched = env.TRON_XPUB || env.TRON_PAYOUT_ADDRESS
  return {
    bitcoin: {
      network: env.BITCOIN_NETWORK ?? (live ? 'main' : 'regtest'),
      xpub: env.BITCOIN_XPUB ?? null,
      backend: core || esplora || null,
      confirmations: env.BITCOIN_CONFIRMATIONS,
    },
    ethereum: {
      chainId: env.ETHEREUM_CHAIN_ID ?? (live ? mainChainId : sepoliaChainId),
      xpub: env.ETHEREUM_XPUB ?? null,
      rpcUrl: env.ETHEREUM_RPC_URL ?? null,
      confirmations: env.ETHEREUM_CONFIRMATIONS,
      payoutAddress: env.ETHEREUM_PAYOUT_ADDRESS ?? null,
      contracts: {
        ...(env.ETHEREUM_USDT_CONTRACT ? { USDT: env.ETHEREUM_USDT_CONTRACT } : {}),
        ...(env.ETHEREUM_USDC_CONTRACT ? { USDC: env.ETHEREUM_USDC_CONTRACT } : {}),
      },
    },
    usdt: {
      xpub: env.TRON_XPUB ?? null,
      url: env.TRONGRID_URL ?? (tronIsWatched ? tronGrid[env.MODE] : null),
      apiKey: env.TRONGRID_API_KEY ?? null,
      confirmations: env.TRON_CONFIRMATIONS,
      payoutAddress: env.TRON_PAYOUT_ADDRESS ?? null,
    },
  }
}

/** What is wrong with the rails' variables, each by its name, never with a value that may be a private key. */
export function railFaults(env: Partial<Environment>): string[] {
  return [...keyFaults(env), ...addressFaults(env), ...networkFaults(env), ...backendFaults(env)]
}

const parsers = {
  BITCOIN_XPUB: parseBitcoinKey,
  ETHEREUM_XPUB: parseEthereumAccount,
  TRON_XPUB: parseTronAccount,
}

/** Any network's: which one it must be of is a question of its own. */
function parseBitcoinKey(text: string): AccountKey {
  const { network } = parseAccountKey(text)
  return bitcoinAccount(text, bitcoinNetworks[network === 'main' ? 'main' : 'regtest']).key
}

function keyFaults(env: Partial<Environment>): string[] {
  return (Object.keys(parsers) as (keyof typeof parsers)[]).flatMap(name => {
    const text = env[name]
    if (!text) return []
    try {
      const { network } = parsers[name](text)
      // Keys of the others say nothing of a network: theirs look the same on all.
      if (name !== 'BITCOIN_XPUB') return []
      const wanted = env.MODE === 'live' ? 'main' : 'test'
      if (network === wanted) return []
      return [
        wanted === 'main'
          ? `${name}: must be a key of the main network (xpub…, zpub…) in live mode`
          : `${name}: must be a key of a test network (tpub…, vpub…) in demo mode`,
      ]
    } catch (error) {
      if (error instanceof KeyFault) return [`${name}: ${error.message}`]
      throw error
    }
  })
}

/** Variables that hold one address, and the coin whose form it must have. */
const addressVariables = {
  ETHEREUM_PAYOUT_ADDRESS: 'Ethereum (ETH)',
  TRON_PAYOUT_ADDRESS: 'USDT TRC-20',
  ETHEREUM_USDT_CONTRACT: 'Ethereum (ETH)',
  ETHEREUM_USDC_CONTRACT: 'Ethereum (ETH)',
} as const satisfies Partial<Record<Variable, WithdrawalWallet>>

function addressFaults(env: Partial<Environment>): string[] {
  return Object.entries(addressVariables).flatMap(([name, coin]) => {
    const text = env[name as keyof typeof addressVariables]
    if (!text) return []
    if (addressNetwork(coin, text) !== undefined) {
      const fault = name.endsWith('_PAYOUT_ADDRESS') ? lossFault(text, givenContracts(env)) : undefined
      return fault === undefined ? [] : [`${name}: ${fault}`]
    }
    const isPrivate = extendedKeyKind(text) === 'private'
    return [
      `${name}: ${isPrivate ? 'is a private key. None belongs on this server; move what it guards at once' : `is not a valid ${coin} address`}`,
    ]
  })
}

/** What the local chain of a demonstration sets automatically. */
const brought = [
  'ETHEREUM_XPUB',
  'ETHEREUM_RPC_URL',
  'ETHEREUM_CHAIN_ID',
  'ETHEREUM_PAYOUT_ADDRESS',
  'ETHEREUM_USDT_CONTRACT',
  'ETHEREUM_USDC_CONTRACT',
] as const satisfies readonly Variable[]

function networkFaults(env: Partial<Environment>): string[] {
  const faults: string[] = []
  const live = env.MODE === 'live'
  if (env.BITCOIN_NETWORK && (env.BITCOIN_NETWORK === 'main') !== live) {
    faults.push(`BITCOIN_NETWORK: must be ${live ? 'main in live mode' : 'a test network in demo mode'}`)
  }
  // Demo mode's passwords are public: real coins have no place there, whatever chain carries them.
  const chainIds = live ? [mainChainId] : testChainIds
  if (typeof env.ETHEREUM_CHAIN_ID === 'number' && !chainIds.includes(env.ETHEREUM_CHAIN_ID)) {
    const wanted = live ? '1 in live mode' : `that of a test network in demo mode (${chainIds.join(', ')})`
    faults.push(`ETHEREUM_CHAIN_ID: must be ${wanted}`)
  }
  if (live && env.DEMO_CHAIN) faults.push('DEMO_CHAIN: is for demo mode only')
  const doubled = brought.filter(name => env[name] !== undefined)
  if (env.DEMO_CHAIN && doubled.length > 0) {
    faults.push(`DEMO_CHAIN: brings its own ${doubled.join(', ')}; leave that out`)
  }
  return faults
}

function backendFaults(env: Partial<Environment>): string[] {
  const faults: string[] = []
  if (env.BITCOIN_RPC_URL && env.BITCOIN_ESPLORA_URL) {
    faults.push('BITCOIN_ESPLORA_URL: is one too many beside BITCOIN_RPC_URL; set one of them')
  }
  // Nobody would see what is paid to addresses that nobody looks at; a demonstration can do without.
  if (env.MODE !== 'live') return faults
  if (env.BITCOIN_XPUB && !env.BITCOIN_RPC_URL && !env.BITCOIN_ESPLORA_URL) {
    faults.push('BITCOIN_RPC_URL or BITCOIN_ESPLORA_URL: is missing beside BITCOIN_XPUB')
  }
  if (env.ETHEREUM_XPUB && !env.ETHEREUM_RPC_URL) {
    faults.push('ETHEREUM_RPC_URL: is missing beside ETHEREUM_XPUB')
  }
  return [...faults, ...openWayFaults(env)]
}

/** Variables that say whom to ask about the networks. */
const nodeVariables = ['BITCOIN_RPC_URL', 'BITCOIN_ESPLORA_URL', 'ETHEREUM_RPC_URL', 'TRONGRID_URL'] as const

/** Who can change a node's answers on their way makes payments: in live mode they come by TLS, or from this machine. */
function openWayFaults(env: Partial<Environment>): string[] {
  return nodeVariables.flatMap(name => {
    const text = env[name]
    if (!text) return []
    const { protocol, hostname } = new URL(text)
    if (protocol === 'https:' || isLoopback(hostname)) return []
    return [`${name}: must begin with https://, unless it is this machine (see docs/operate.md)`]
  })
}

/** Whether a node or service is configured by which the payments of a method are watched. */
export function isWatched({ bitcoin, usdt, ethereum }: RailSettings, method: DepositMethod): boolean {
  return { bitcoin: bitcoin.backend, usdt: usdt.url, ethereum: ethereum.rpcUrl }[method] !== null
}
