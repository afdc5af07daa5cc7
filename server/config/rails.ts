import { bitcoinAccount, bitcoinKeys } from '#server/rails/bitcoin/addresses.ts'
import { type BitcoinNetworkName, bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { parseEthereumAccount } from '#server/rails/ethereum/addresses.ts'
import { type AccountKey, AccountKeyError } from '#server/rails/hd.ts'
import { parseTronAccount } from '#server/rails/tron/addresses.ts'
import { addressNetwork, extendedKeyKind, lossReason, withChecksum } from '#shared/addresses.ts'
import { isStablecoin, paymentMethods, type RailName, type WithdrawalWallet } from '#shared/coins.ts'
import { type PaymentToken, paymentTokens } from '#shared/payment-tokens.ts'
import { contractsOn, type TokenContracts } from '#shared/token-contracts.ts'
import { type Environment, isLoopback, type Variable } from './environment.ts'
import { givenContracts } from './payment-addresses.ts'

/** How each rail reads its network and derives addresses; everything but confirmations and networks is optional. */
export type RailSettings = {
  bitcoin: {
    network: BitcoinNetworkName
    /** Extended public key or descriptor (server/rails/hd.ts). */
    xpub: string | null
    /** `core`: JSON-RPC of Bitcoin Core, with user and password in the URL. `esplora`: an Esplora HTTP interface. */
    backend: { kind: 'core' | 'esplora'; url: string } | null
    /** The second source of large payments, as for every rail. */
    second: { kind: 'core' | 'esplora'; url: string } | null
    confirmations: number
  }
  ethereum: {
    /** EIP-155. */
    chainId: number
    xpub: string | null
    /** JSON-RPC over HTTP. */
    rpcUrl: string | null
    secondRpcUrl: string | null
    confirmations: number
    /** The address that pays withdrawals, with its checksum (EIP-55): as drafts and the database compare it. */
    payoutAddress: string | null
    /** Token contracts of a network that has no published ones. */
    contracts: TokenContracts
    /** The tokens that deposits are offered in. */
    paymentTokens: PaymentToken[]
  }
  usdt: {
    xpub: string | null
    /** TronGrid's HTTP interface; null: TRON is not synced. */
    url: string | null
    apiKey: string | null
    /** Most requests per second; null: no limit. */
    requestsPerSecond: number | null
    second: { url: string; apiKey: string | null } | null
    confirmations: number
    payoutAddress: string | null
  }
}

const mainChainId = 1
const sepoliaChainId = 11_155_111
/** EIP-155: Sepolia, Hoodi, Holesky, and the local chains of Ganache, Geth's developer mode, Anvil and Hardhat. */
const testChainIds: readonly number[] = [sepoliaChainId, 560_048, 17_000, 1337, 31_337]
const tronGrid = { live: 'https://api.trongrid.io', demo: 'https://nile.trongrid.io' } as const

/** The rails' settings, from an environment without `railErrors`. */
export function railSettings(env: Environment): RailSettings {
  const live = env.MODE === 'live'
  const tronIsWatched = env.TRON_XPUB || env.TRON_PAYOUT_ADDRESS
  return {
    bitcoin: {
      network: env.BITCOIN_NETWORK ?? (live ? 'main' : 'regtest'),
      xpub: env.BITCOIN_XPUB ?? null,
      backend: bitcoinBackend(env.BITCOIN_RPC_URL, env.BITCOIN_ESPLORA_URL),
      second: bitcoinBackend(env.BITCOIN_SECOND_RPC_URL, env.BITCOIN_SECOND_ESPLORA_URL),
      confirmations: env.BITCOIN_CONFIRMATIONS,
    },
    ethereum: {
      chainId: env.ETHEREUM_CHAIN_ID ?? (live ? mainChainId : sepoliaChainId),
      xpub: env.ETHEREUM_XPUB ?? null,
      rpcUrl: env.ETHEREUM_RPC_URL ?? null,
      secondRpcUrl: env.ETHEREUM_SECOND_RPC_URL ?? null,
      confirmations: env.ETHEREUM_CONFIRMATIONS,
      payoutAddress: env.ETHEREUM_PAYOUT_ADDRESS ? withChecksum(env.ETHEREUM_PAYOUT_ADDRESS) : null,
      contracts: contractsGiven(env),
      paymentTokens: env.PAYMENT_TOKENS.map(name => paymentTokens[name]),
    },
    usdt: {
      xpub: env.TRON_XPUB ?? null,
      url: env.TRONGRID_URL ?? (tronIsWatched ? tronGrid[env.MODE] : null),
      apiKey: env.TRONGRID_API_KEY ?? null,
      requestsPerSecond: requestsOf(env),
      second: env.TRON_SECOND_URL
        ? { url: env.TRON_SECOND_URL, apiKey: env.TRON_SECOND_API_KEY ?? null }
        : null,
      confirmations: env.TRON_CONFIRMATIONS,
      payoutAddress: env.TRON_PAYOUT_ADDRESS ?? null,
    },
  }
}

function contractsGiven(env: Partial<Environment>): TokenContracts {
  return {
    ...(env.ETHEREUM_USDT_CONTRACT ? { USDT: env.ETHEREUM_USDT_CONTRACT } : {}),
    ...(env.ETHEREUM_USDC_CONTRACT ? { USDC: env.ETHEREUM_USDC_CONTRACT } : {}),
  }
}

function bitcoinBackend(
  rpcUrl: string | undefined,
  esploraUrl: string | undefined,
): RailSettings['bitcoin']['backend'] {
  if (rpcUrl) return { kind: 'core', url: rpcUrl }
  return esploraUrl ? { kind: 'esplora', url: esploraUrl } : null
}

/** Errors in the rails' variables, by name, never with a value that may be a private key. */
export function railErrors(env: Partial<Environment>): string[] {
  return [
    ...keyErrors(env),
    ...addressErrors(env),
    ...networkErrors(env),
    ...backendErrors(env),
    ...tokenErrors(env),
  ]
}

const parsers = {
  BITCOIN_XPUB: parseBitcoinKey,
  ETHEREUM_XPUB: parseEthereumAccount,
  TRON_XPUB: parseTronAccount,
}

/** A key of any network; another check says which one it must be. */
function parseBitcoinKey(text: string): AccountKey {
  const [key] = bitcoinKeys(text).keys as [AccountKey]
  bitcoinAccount(text, bitcoinNetworks[key.network === 'main' ? 'main' : 'regtest'])
  return key
}

function keyErrors(env: Partial<Environment>): string[] {
  return (Object.keys(parsers) as (keyof typeof parsers)[]).flatMap(name => {
    const text = env[name]
    if (!text) return []
    try {
      const { network } = parsers[name](text)
      // Other coins' keys look the same on all networks.
      if (name !== 'BITCOIN_XPUB') return []
      const wanted = env.MODE === 'live' ? 'main' : 'test'
      if (network === wanted) return []
      return [
        wanted === 'main'
          ? `${name}: must be a key of the main network (xpub…, zpub…) in live mode`
          : `${name}: must be a key of a test network (tpub…, vpub…) in demo mode`,
      ]
    } catch (error) {
      if (error instanceof AccountKeyError) return [`${name}: ${error.message}`]
      throw error
    }
  })
}

/** Variables with one address, and the coin whose form it must have. */
const addressVariables = {
  ETHEREUM_PAYOUT_ADDRESS: 'Ethereum (ETH)',
  TRON_PAYOUT_ADDRESS: 'USDT TRC-20',
  ETHEREUM_USDT_CONTRACT: 'Ethereum (ETH)',
  ETHEREUM_USDC_CONTRACT: 'Ethereum (ETH)',
} as const satisfies Partial<Record<Variable, WithdrawalWallet>>

function addressErrors(env: Partial<Environment>): string[] {
  return Object.entries(addressVariables).flatMap(([name, coin]) => {
    const text = env[name as keyof typeof addressVariables]
    if (!text) return []
    if (addressNetwork(coin, text) !== undefined) {
      const error = name.endsWith('_PAYOUT_ADDRESS') ? lossReason(text, givenContracts(env)) : undefined
      return error === undefined ? [] : [`${name}: ${error}`]
    }
    const isPrivate = extendedKeyKind(text) === 'private'
    return [
      `${name}: ${isPrivate ? 'is a private key. This server must never have one; move its funds at once' : `is not a valid ${coin} address`}`,
    ]
  })
}

/** Variables that the demonstration's local chain sets itself. */
const brought = [
  'ETHEREUM_XPUB',
  'ETHEREUM_RPC_URL',
  'ETHEREUM_CHAIN_ID',
  'ETHEREUM_PAYOUT_ADDRESS',
  'ETHEREUM_USDT_CONTRACT',
  'ETHEREUM_USDC_CONTRACT',
] as const satisfies readonly Variable[]

function networkErrors(env: Partial<Environment>): string[] {
  const errors: string[] = []
  const live = env.MODE === 'live'
  if (env.BITCOIN_NETWORK && (env.BITCOIN_NETWORK === 'main') !== live) {
    errors.push(`BITCOIN_NETWORK: must be ${live ? 'main in live mode' : 'a test network in demo mode'}`)
  }
  // The demonstration's passwords are public, so it must not hold real coins on any chain.
  const chainIds = live ? [mainChainId] : testChainIds
  if (typeof env.ETHEREUM_CHAIN_ID === 'number' && !chainIds.includes(env.ETHEREUM_CHAIN_ID)) {
    const wanted = live ? '1 in live mode' : `that of a test network in demo mode (${chainIds.join(', ')})`
    errors.push(`ETHEREUM_CHAIN_ID: must be ${wanted}`)
  }
  if (live && env.DEMO_CHAIN) errors.push('DEMO_CHAIN: is for demo mode only')
  const doubled = brought.filter(name => env[name] !== undefined)
  if (env.DEMO_CHAIN && doubled.length > 0) {
    errors.push(`DEMO_CHAIN: brings its own ${doubled.join(', ')}; leave that out`)
  }
  return errors
}

function backendErrors(env: Partial<Environment>): string[] {
  const errors: string[] = []
  if (env.BITCOIN_RPC_URL && env.BITCOIN_ESPLORA_URL) {
    errors.push('BITCOIN_ESPLORA_URL: cannot be set together with BITCOIN_RPC_URL; keep one of them')
  }
  if (env.BITCOIN_SECOND_RPC_URL && env.BITCOIN_SECOND_ESPLORA_URL) {
    errors.push(
      'BITCOIN_SECOND_ESPLORA_URL: cannot be set together with BITCOIN_SECOND_RPC_URL; keep one of them',
    )
  }
  // In live mode, payments to an unwatched address would go unseen.
  if (env.MODE !== 'live') return errors
  if (env.BITCOIN_XPUB && !env.BITCOIN_RPC_URL && !env.BITCOIN_ESPLORA_URL) {
    errors.push('BITCOIN_RPC_URL or BITCOIN_ESPLORA_URL: is required with BITCOIN_XPUB')
  }
  if (env.ETHEREUM_XPUB && !env.ETHEREUM_RPC_URL) {
    errors.push('ETHEREUM_RPC_URL: is required with ETHEREUM_XPUB')
  }
  return [...errors, ...openWayErrors(env)]
}

/** Variables with the addresses of nodes and services. */
const nodeVariables = [
  'BITCOIN_RPC_URL',
  'BITCOIN_ESPLORA_URL',
  'BITCOIN_SECOND_RPC_URL',
  'BITCOIN_SECOND_ESPLORA_URL',
  'ETHEREUM_RPC_URL',
  'ETHEREUM_SECOND_RPC_URL',
  'TRONGRID_URL',
  'TRON_SECOND_URL',
] as const

/** Anyone who can change a node's answers in transit can forge payments, so live mode requires TLS, or this machine. */
function openWayErrors(env: Partial<Environment>): string[] {
  return nodeVariables.flatMap(name => {
    const text = env[name]
    if (!text) return []
    const { protocol, hostname } = new URL(text)
    if (protocol === 'https:' || isLoopback(hostname)) return []
    return [`${name}: must begin with https://, unless it is this machine (see docs/operate.md)`]
  })
}

/** True if a node or service is configured to watch a rail's payments. */
export function isWatched({ bitcoin, usdt, ethereum }: RailSettings, rail: RailName): boolean {
  return { bitcoin: bitcoin.backend, usdt: usdt.url, ethereum: ethereum.rpcUrl }[rail] !== null
}

/** True if a second source must show a rail's large payments too. */
export function hasSecondSource({ bitcoin, usdt, ethereum }: RailSettings, rail: RailName): boolean {
  return { bitcoin: bitcoin.second, usdt: usdt.second, ethereum: ethereum.secondRpcUrl }[rail] !== null
}

/** TronGrid allows 15 requests a second with a key; an own node allows any number. */
const tronGridRequests = 10

function requestsOf({ TRONGRID_URL, TRONGRID_REQUESTS_PER_SECOND: given }: Environment): number | null {
  if (given !== undefined) return given === 0 ? null : given
  const isTronGrid = TRONGRID_URL === undefined || new URL(TRONGRID_URL).hostname.endsWith('.trongrid.io')
  return isTronGrid ? tronGridRequests : null
}

/** Tokens that could not be received: without a wallet on Ethereum, or a contract to look for. */
function tokenErrors(env: Partial<Environment>): string[] {
  const { PAYMENT_TOKENS: names, ETHEREUM_CHAIN_ID, MODE } = env
  // An unreadable variable is still a text here.
  if (!Array.isArray(names) || names.length === 0) return []
  if (env.DEMO_CHAIN) return ['PAYMENT_TOKENS: the local chain (DEMO_CHAIN) has no tokens; leave it out']
  const hasWallet = MODE !== 'live' || env.ETHEREUM_XPUB || env.PAYMENT_ADDRESS_ETHEREUM
  const errors = hasWallet ? [] : ['PAYMENT_TOKENS: needs ETHEREUM_XPUB or PAYMENT_ADDRESS_ETHEREUM']
  const chainId = ETHEREUM_CHAIN_ID ?? (MODE === 'live' ? mainChainId : sepoliaChainId)
  const given = contractsGiven(env)
  const contracts = contractsOn(chainId, given)
  for (const name of names) {
    const { asset } = paymentMethods[paymentTokens[name]]
    if (isStablecoin(asset) && contracts[asset] === undefined)
      errors.push(`PAYMENT_TOKENS: the contract of ${asset} on chain ${chainId} is unknown`)
  }
  return errors
}
