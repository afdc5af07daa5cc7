import { expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { depositMethods, paymentMethods } from '#shared/coins.ts'
import { formatDecimal, parseDecimal } from '#shared/money.ts'
import { withAmount } from './payment-uri.ts'
import { creditableAssets, offeredMethods, paymentMethodOf } from './rails.ts'

const { rails } = loadConfig({ TOKEN_SECRET: 'x'.repeat(32) })
const withTokens = {
  ...rails,
  ethereum: { ...rails.ethereum, paymentTokens: ['usdt-erc20', 'usdc-erc20'] },
} satisfies typeof rails
const mainRails = { ...withTokens, ethereum: { ...withTokens.ethereum, chainId: 1 } }

const demo = {
  mode: 'demo',
  rails: withTokens,
  paymentAddresses: {
    bitcoin: 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp',
    usdt: '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A',
    ethereum: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  },
} as const
const live = {
  mode: 'live',
  rails: mainRails,
  paymentAddresses: {
    bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    usdt: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
    ethereum: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  },
} as const

const rate = (text: string) => parseDecimal(text, 8)!

test('[D-20, K-04] bitcoin asks for USD / rate to seven decimals, rounded half to even', () => {
  const method = paymentMethodOf(live, 'bitcoin')!
  const btc = (cents: bigint, usd: string) => formatDecimal(method.amountFor(cents, rate(usd)), 8)
  expect(btc(10_000n, '97,123.4567')).toBe('0.00102960')
  expect(btc(12_345n, '64,000')).toBe('0.00192890')
  expect(btc(100_000_000n, '1')).toBe('1000000.00000000')
  // 2.5 and 3.5 steps of 10^-7: a half goes to the even neighbour.
  expect(btc(125n, '5000000')).toBe('0.00000020')
  expect(btc(175n, '5000000')).toBe('0.00000040')
})

test('[D-20] usdt asks for the USD amount whatever the rate', () => {
  const method = paymentMethodOf(live, 'usdt')!
  expect(method.amountFor(10_050n, rate('0.99'))).toBe(100_500_000n)
  expect(method.amountFor(10_050n, rate('2'))).toBe(100_500_000n)
})

test('[D-20] tokens on Ethereum ask for the USD amount, whatever the rate', () => {
  for (const name of ['usdt-erc20', 'usdc-erc20'] as const) {
    expect(paymentMethodOf(live, name)!.amountFor(10_050n, rate('0.99'))).toBe(100_500_000n)
  }
})

test('[D-20] ethereum asks for an amount at a real rate', () => {
  const method = paymentMethodOf(live, 'ethereum')!
  expect(formatDecimal(method.amountFor(10_000n, rate('3,000')), 9)).toBe('0.033333300')
})

test('[D-22] a payment URI carries address, network and the exact amount', () => {
  const uri = (settings: typeof demo | typeof live, method: (typeof depositMethods)[number], units: bigint) =>
    paymentMethodOf(settings, method)!.paymentUri({
      label: 'Probity & Co',
      units,
      address: settings.paymentAddresses[paymentMethods[method].rail],
    })
  expect(uri(live, 'bitcoin', 102_960n)).toBe(
    'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.00102960&label=Probity%20%26%20Co',
  )
  expect(uri(live, 'ethereum', 33_333_300n)).toBe(
    'ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1?value=33333300000000000',
  )
  expect(uri(live, 'usdt', 100_500_000n)).toBe('TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7')
  expect(uri(demo, 'ethereum', 1n)).toContain('@11155111?value=1000000000')
  // Wallets have read a token's URI as a payment to its contract.
  const { ethereum } = live.paymentAddresses
  expect([uri(live, 'usdt-erc20', 1n), uri(live, 'usdc-erc20', 1n)]).toEqual([ethereum, ethereum])
})

test('[D-22] a stored payment URI is rewritten for another amount', () => {
  const of = (method: (typeof depositMethods)[number]) => {
    const { asset, paymentUri } = paymentMethodOf(live, method)!
    const uri = (units: bigint) =>
      paymentUri({
        label: 'Pay & amount=1',
        units,
        address: live.paymentAddresses[paymentMethods[method].rail],
      })
    return [withAmount(uri(999_999_999n), asset, 33_300n), uri(33_300n)]
  }
  for (const [rewritten, made] of depositMethods.map(of)) expect(rewritten).toBe(made)
})

test('[P-14] the networks of the demonstration are named as test networks', () => {
  expect(depositMethods.map(method => paymentMethodOf(demo, method)!.rail.network)).toEqual([
    'Bitcoin regtest',
    'TRON Nile (TRC-20, test network)',
    'Ethereum Sepolia (test network)',
    'Ethereum Sepolia (test network)',
    'Ethereum Sepolia (test network)',
  ])
  expect(depositMethods.map(method => paymentMethodOf(live, method)!.rail.network)).toEqual([
    'Bitcoin',
    'TRON (TRC-20)',
    'Ethereum',
    'Ethereum',
    'Ethereum',
  ])
})

test('[K-02] a method without a configured address is not offered', () => {
  expect(paymentMethodOf({ mode: 'live', rails, paymentAddresses: {} }, 'bitcoin')).toBeUndefined()
})

test('[K-02] tokens on Ethereum are offered beside its coin only where configured', () => {
  const settings = { mode: 'live', rails, paymentAddresses: live.paymentAddresses } as const
  expect(offeredMethods(settings)).toEqual(['bitcoin', 'usdt', 'ethereum'])
  expect([...creditableAssets(settings, 'ethereum')]).toEqual(['ETH'])
  expect(offeredMethods(live)).toEqual([...depositMethods])
  expect([...creditableAssets(live, 'ethereum')]).toEqual(['ETH', 'USDT', 'USDC'])
  const { ethereum: _, ...others } = live.paymentAddresses
  expect(offeredMethods({ ...live, paymentAddresses: others })).toEqual(['bitcoin', 'usdt'])
})
