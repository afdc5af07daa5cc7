import { decodeFunctionData, erc20Abi } from 'viem'
import { expect, test } from 'vitest'
import { type EthereumBatch, ethereumPayoutFile } from './payouts.ts'

const usdtContract = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const batch: EthereumBatch = {
  id: 'b1',
  createdAt: new Date('2026-11-21T10:00:00Z'),
  chainId: 1,
  from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  usdtContract,
  payouts: [
    // gwei, beyond what a double holds
    {
      reference: 'w1',
      to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      token: 'ETH',
      units: 9_007_199_254_740_993n,
      nonce: 7,
    },
    {
      reference: 'w2',
      to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      token: 'USDT',
      units: 100_500_001n,
      nonce: 8,
    },
  ],
}

test('a batch in ether and USDT is a file of unsigned transactions, exact to the wei', () => {
  const file = ethereumPayoutFile(batch)
  const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  expect(file).toMatchObject({
    format: 'probity-ethereum-payouts',
    version: 2,
    batch: 'b1',
    chainId: 1,
    from,
  })
  const [ether, usdt] = file.transactions
  expect(ether).toEqual({
    reference: 'w1',
    chainId: 1,
    from,
    nonce: 7,
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    value: '9007199254740993000000000',
    data: '0x',
    pays: {
      recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      amount: '9007199.254740993',
      token: 'ETH',
    },
    uri: 'ethereum:0x70997970C51812dc3A010C7d01b50e0d17dc79C8@1?value=9007199254740993000000000',
  })
  expect(usdt).toMatchObject({
    nonce: 8,
    to: usdtContract,
    value: '0',
    pays: { recipient: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', amount: '100.500001', token: 'USDT' },
    uri: `ethereum:${usdtContract}@1/transfer?address=0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC&uint256=100500001`,
  })
  expect(decodeFunctionData({ abi: erc20Abi, data: usdt!.data as `0x${string}` })).toEqual({
    functionName: 'transfer',
    args: ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', 100_500_001n],
  })
})

test('no file is made for a mistyped address, for zero, or where USDT has no contract', () => {
  const [ether, usdt] = batch.payouts
  const to = '0x3c44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  for (const wrong of [
    { ...batch, payouts: [{ ...ether!, to }] },
    { ...batch, payouts: [{ ...ether!, units: 0n }] },
    { ...batch, payouts: [usdt!], usdtContract: undefined },
    { ...batch, from: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  ])
    expect(() => ethereumPayoutFile(wrong)).toThrow(RangeError)
})
