import type { Network } from '#shared/addresses.ts'
import type { Work } from './proof-of-work.ts'

/** Parameters of one Bitcoin network. */
export type BitcoinNetwork = {
  /** For people. */
  readonly name: string
  /** Whether its extended keys are xpubs or tpubs. */
  readonly keys: Network
  /** Prefix of its segregated witness addresses (BIP-173). */
  readonly bech32: string
  /** First bytes of its base58 addresses: key hash, script hash. */
  readonly pubKeyHash: number
  readonly scriptHash: number
  /** Its genesis block; several networks share the test prefixes. */
  readonly genesis: readonly string[]
  /** `Chain.staleMinutes`: 24 block times, which chance exceeds once in 500,000 years; null: blocks come on demand. */
  readonly staleMinutes: number | null
  /** null: blocks have no proof of work, or we do not check it. */
  readonly work: Work | null
}

export const bitcoinNetworks = {
  main: {
    name: 'Bitcoin',
    keys: 'main',
    bech32: 'bc',
    pubKeyHash: 0x00,
    scriptHash: 0x05,
    genesis: ['000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'],
    // Exceeded for good in 2019; a minimum, since each block is also compared with its parent.
    staleMinutes: 240,
    work: { least: 10n ** 13n },
  },
  // testnet3, testnet4 (BIP-94) and signet (BIP-325).
  testnet: {
    name: 'Bitcoin testnet',
    keys: 'test',
    bech32: 'tb',
    pubKeyHash: 0x6f,
    scriptHash: 0xc4,
    genesis: [
      '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
      '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
      '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    ],
    // Signet's blocks are signed instead of mined; other test networks allow difficulty 1, which proves nothing.
    staleMinutes: 240,
    work: null,
  },
  regtest: {
    name: 'Bitcoin regtest',
    keys: 'test',
    bech32: 'bcrt',
    pubKeyHash: 0x6f,
    scriptHash: 0xc4,
    genesis: ['0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'],
    staleMinutes: null,
    work: null,
  },
  'litecoin-regtest': {
    name: 'Litecoin regtest',
    keys: 'test',
    bech32: 'rltc',
    pubKeyHash: 0x6f,
    scriptHash: 0x3a,
    genesis: ['530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9'],
    staleMinutes: null,
    work: null,
  },
} as const satisfies Record<string, BitcoinNetwork>

export type BitcoinNetworkName = keyof typeof bitcoinNetworks
export const bitcoinNetworkNames = Object.keys(bitcoinNetworks) as BitcoinNetworkName[]
