/** The tokens of Ethereum that are looked at, by their contract; both count in 10^-6. */
export type TokenContracts = { USDT?: string; USDC?: string }

/** Tether's and Circle's contracts as the issuers publish them, by chain id (EIP-155). Tether has none on Sepolia. */
const known: ReadonlyMap<number, TokenContracts> = new Map([
  [
    1,
    {
      USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    },
  ],
  [11_155_111, { USDC: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238' }],
])

/** The contracts of a network that has a name; undefined of any other, whose contracts must be given. */
export function knownContracts(chainId: number): TokenContracts | undefined {
  return known.get(chainId)
}
