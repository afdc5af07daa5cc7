/** Token contracts published by their issuers; all have six decimals. */

/** Tether's on TRON. */
export const tronUsdt = {
  main: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  nile: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
} as const

export type TokenContracts = { USDT?: string; USDC?: string }

/** Tether's and Circle's on Ethereum, by chain id (EIP-155). Tether has none on Sepolia. */
export const ethereumTokens: ReadonlyMap<number, TokenContracts> = new Map([
  [
    1,
    {
      USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    },
  ],
  [11_155_111, { USDC: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238' }],
])

/** The contracts of a chain: the published ones, or what is configured where there are none. */
export function contractsOn(chainId: number, configured: TokenContracts): TokenContracts {
  return ethereumTokens.get(chainId) ?? configured
}

/** All of them: coins sent to a token's contract are lost. */
export const tokenContracts: readonly string[] = [
  ...Object.values(tronUsdt),
  ...[...ethereumTokens.values()].flatMap(contracts => Object.values(contracts)),
]
