import { type Address, type Hex, type TransactionSerializable, toHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { inLanguage } from '#server/platform/language.ts'
import { type Chain, nonceSlot } from '#server/rails/chain.ts'
import { AppError } from '#shared/errors.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { ethereumChain } from './json-rpc.ts'
import {
  cancellation,
  type EthereumPlan,
  ethereumPlanFile,
  planOf,
  planPayment,
  replacement,
  unsignedOf,
} from './plans.ts'
import { readSigned as readBy } from './signed.ts'

const gwei = 10n ** 9n
const recipient = payer(5).address
const usdt = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const fees = { price: 30n * gwei, tip: 2n * gwei }
const of = (by: number, USDT = usdt) => ({ chainId: 31_337, from: payer(by).address, contracts: { USDT } })
const readSigned = (plans: readonly EthereumPlan[], file: string) => readBy(plans, file, { USDT: usdt })
const plan = planPayment({ to: recipient, token: 'ETH', units: 1_500_000_000n, nonce: 7 }, of(1), fees)
const tokenPlan = planPayment({ to: recipient, token: 'USDT', units: 12_500_000n, nonce: 8 }, of(1), fees)

/** As a wallet signs a plan, with its own changes. */
const sign = ({ from: _, to, ...rest }: EthereumPlan, changes: object = {}, by = 1): Promise<Hex> =>
  payer(by).signTransaction({
    type: 'eip1559',
    ...rest,
    to: to as Hex,
    ...changes,
  } as TransactionSerializable)
const legacy = (gasPrice: bigint) => ({
  type: 'legacy',
  gasPrice,
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
})
const refusalOf = async (file: string, plans = [plan, tokenPlan]) => {
  try {
    return await readSigned(plans, file)
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

describe('a plan', () => {
  test('[S-04] is a whole transaction, with gas and fees, and the same after it was stored', () => {
    expect(plan).toEqual({
      ...{ chainId: 31_337, from: payer(1).address, nonce: 7, to: recipient, data: '0x' },
      ...{ value: 1_500_000_000n * gwei, gas: 60_000n },
      ...{ maxFeePerGas: 30n * gwei, maxPriorityFeePerGas: 2n * gwei },
    })
    for (const each of [plan, tokenPlan]) expect(planOf(unsignedOf(each), each.from)).toEqual(each)
    const none = planPayment({ to: recipient, token: 'ETH', units: 1n, nonce: 0 }, of(1), {
      price: 5n,
      tip: 0n,
    })
    expect(planOf(unsignedOf(none), none.from)).toEqual(none)
  })

  test('[S-04] its file holds it for people, for wallets and for the network', () => {
    const at = { id: 'b1', createdAt: new Date('2026-11-23T10:00:00Z'), contracts: { USDT: usdt } }
    const { transactions, ...file } = ethereumPlanFile(at, [{ reference: 'w1', plan: tokenPlan }])
    expect(file).toEqual({
      ...{
        format: 'probity-ethereum-payouts',
        version: 3,
        batch: 'b1',
        createdAt: '2026-11-23T10:00:00.000Z',
      },
    })
    expect(transactions).toEqual([
      {
        reference: 'w1',
        pays: { recipient, amount: '12.500000', token: 'USDT' },
        transaction: {
          type: '0x2',
          chainId: '0x7a69',
          from: payer(1).address,
          nonce: '0x8',
          to: usdt,
          value: '0x0',
          data: `0xa9059cbb${recipient.slice(2).toLowerCase().padStart(64, '0')}${12_500_000n.toString(16).padStart(64, '0')}`,
          gas: '0x186a0',
          maxFeePerGas: toHex(30n * gwei),
          maxPriorityFeePerGas: toHex(2n * gwei),
        },
        unsigned: unsignedOf(tokenPlan),
      },
    ])
    expect(ethereumPlanFile(at, [{ reference: 'w2', plan }]).transactions[0]!.pays).toEqual({
      ...{ recipient, amount: '1.500000000', token: 'ETH' },
    })
  })

  test('[S-04] a replacement pays a tenth more than each before it, or the estimate', () => {
    const odd = { ...plan, maxFeePerGas: 101n, maxPriorityFeePerGas: 1n }
    const low = { price: 100n, tip: 1n }
    expect(replacement([odd], low)).toEqual({ ...plan, maxFeePerGas: 112n, maxPriorityFeePerGas: 2n })
    expect(replacement([odd, { ...odd, maxFeePerGas: 200n }], low).maxFeePerGas).toBe(220n)
    expect(replacement([odd], fees)).toEqual(plan)
    const { from, chainId, nonce } = plan
    expect(cancellation([odd], low)).toEqual({
      ...{ chainId, from, nonce, to: from, value: 0n, data: '0x', gas: 21_000n },
      ...{ maxFeePerGas: 112n, maxPriorityFeePerGas: 2n },
    })
  })

  test('[S-04] one that could cost more than the limit, or pays nobody, is not made', () => {
    const payment = { to: recipient, token: 'USDT', units: 1n, nonce: 0 } as const
    expect(() => planPayment(payment, of(1), { price: 1_001n * gwei, tip: 1n })).toThrow(
      'A transaction could cost a fee of 0.100100000 ETH; the limit is 0.100000000 ETH.',
    )
    for (const wrong of [{ units: 0n }, { to: `${recipient.slice(0, -1)}0` }, { to: 'bc1q' }])
      expect(() => planPayment({ ...payment, ...wrong }, of(1), fees)).toThrow(RangeError)
    expect(() => planPayment(payment, { ...of(1), contracts: {} }, fees)).toThrow(RangeError)
  })
})

describe('a signed file', () => {
  test('[S-04] is read in every form in which wallets export it', async () => {
    const [one, two] = [await sign(plan), await sign(tokenPlan)]
    const file = ethereumPlanFile({ id: 'b1', createdAt: new Date(), contracts: {} }, [
      { reference: 'w1', plan },
      { reference: 'w2', plan: tokenPlan },
    ])
    const filled = file.transactions.map((each, at) => ({ ...each, signed: [one, two][at] }))
    for (const text of [
      `${one}\n${two}\n`,
      `${one}, ${two}`,
      `  ${one.toUpperCase().replace('0X', '0x')} ${two.slice(2)}`,
      JSON.stringify([one, two]),
      JSON.stringify([{ raw: one, tx: {} }, { rawTransaction: two }]),
      JSON.stringify({ ...file, transactions: filled }),
      `${one}\n${two}\n${one}`,
    ])
      expect(
        (await readSigned([plan, tokenPlan], text)).map(read => read.plan),
        text,
      ).toEqual([0, 1])
    const [read] = await readSigned([tokenPlan, plan], one)
    expect(read).toMatchObject({ plan: 1, transaction: plan })
    expect(toHex(read!.raw)).toBe(one)
  })

  test('[S-04] the wallet may choose gas, fees and an older type', async () => {
    const changes = { gas: 21_000n, maxFeePerGas: 40n * gwei, maxPriorityFeePerGas: 3n * gwei }
    expect(await readSigned([plan], await sign(plan, changes))).toMatchObject([
      { plan: 0, transaction: { ...plan, ...changes } },
    ])
    const price = 12n * gwei
    expect(await readSigned([plan], await sign(plan, legacy(price)))).toMatchObject([
      { transaction: { maxFeePerGas: price, maxPriorityFeePerGas: price } },
    ])
  })

  test('[S-04] of a payment, its fee bump and its cancellation, it is the one that was signed', async () => {
    const plans = [plan, replacement([plan], fees), cancellation([plan], fees)]
    for (const [index, each] of plans.entries())
      expect(await readSigned(plans, await sign(each))).toMatchObject([{ plan: index }])
    expect(await readSigned(plans, await sign(plan, { maxFeePerGas: 31n * gwei }))).toMatchObject([
      { plan: 0 },
    ])
  })

  test('[S-04] another payment is refused in whole sentences of the language', async () => {
    const signed = await sign(plan, { value: gwei })
    expect(await inLanguage('de', () => refusalOf(signed))).toBe(
      `Die Transaktion mit der Nonce 7 zahlt 0.000000001 ETH an ${recipient}. Der Stapel zahlt 1.500000000 ETH an ${recipient}.`,
    )
  })

  test('[S-04] anything that is not the plan is refused, saying what differs', async () => {
    const other = payer(6).address
    const token = (units: bigint, to: string = recipient) =>
      planPayment({ to, token: 'USDT', units, nonce: 8 }, of(1), fees).data
    const cases: [Promise<string> | string, string][] = [
      [sign(plan, { chainId: 1 }), 'is for chain 1; the batch is for chain 31337.'],
      [
        sign(plan, { ...legacy(gwei), chainId: undefined }),
        'is for any chain (EIP-155 is missing); the batch is',
      ],
      [sign(plan, {}, 2), `was signed by ${payer(2).address}; the batch pays from ${payer(1).address}.`],
      [sign(plan, { nonce: 9 }), 'A transaction has nonce 9; the batch has 7, 8.'],
      [
        sign(plan, { value: gwei }),
        `nonce 7 pays 0.000000001 ETH to ${recipient}. The batch pays 1.500000000 ETH to ${recipient}.`,
      ],
      [sign(plan, { to: other }), `nonce 7 pays 1.500000000 ETH to ${other}. The batch pays`],
      [sign(plan, { data: '0x01' }), `nonce 7 calls ${recipient} with 1.500000000 ETH. The batch pays`],
      [
        sign(tokenPlan, { data: token(99n) }),
        `nonce 8 pays 0.000099 USDT to ${recipient}. The batch pays 12.500000 USDT to ${recipient}.`,
      ],
      [
        sign(tokenPlan, { data: token(12_500_000n, other) }),
        `nonce 8 pays 12.500000 USDT to ${other}. The batch`,
      ],
      [
        sign(tokenPlan, { to: other }),
        `pays 12.500000 of the token ${other} to ${recipient}. The batch pays 12.500000 USDT`,
      ],
      [sign(tokenPlan, { value: 1n }), 'nonce 8 pays 12.500000 USDT'],
      [sign(plan, { gas: 20_999n }), 'nonce 7 has 20999 gas; it needs 21000 or more.'],
      [
        sign(plan, { maxFeePerGas: 1_700n * gwei }),
        'could cost a fee of 0.102000000 ETH; the limit is 0.100000000 ETH.',
      ],
      [sign(plan, { ...legacy(gwei), type: 'eip2930' }), 'nonce 7 is of type eip2930. Sign it'],
      [unsignedOf(plan), 'The transaction with nonce 7 is not signed.'],
      ['', 'There is no signed transaction in this file.'],
      ['[]', 'There is no signed transaction in this file.'],
      ['{"transactions":[{"unsigned":"0x02"}]}', 'There is no signed transaction in this file.'],
      ['0x02', '“0x02” is not a transaction of Ethereum.'],
      [`0x02${'00'.repeat(40)}`, '“0x020000000000000000…” is not'],
      ['my wallet', '“my” is not a transaction of Ethereum.'],
      [sign(plan).then(raw => `${raw}00`), 'is not a transaction of Ethereum.'],
      [
        Promise.all([sign(plan), sign(plan, legacy(gwei))]).then(all => all.join()),
        'Two different transactions have nonce 7.',
      ],
      [
        Array.from({ length: 51 }, (_, at) => `0x${at}0`).join(' '),
        'This file has more than 50 transactions.',
      ],
    ]
    for (const [file, words] of cases) expect(await refusalOf(await file)).toContain(words)
  })
})

describe.skipIf(withoutAnvil !== undefined)('on a real chain', () => {
  let node: TestChain
  let token: Address
  let chain: Chain
  beforeAll(async () => {
    node = await openAnvil()
    token = await node.token(0, { answers: false })
    const contracts = { USDT: token }
    chain = ethereumChain({ rpcUrl: node.url, chainId: 31_337, confirmations: 3, contracts })
  })
  const planned = async (by: number, token_: 'ETH' | 'USDT', to: string, units: bigint) => {
    const { address } = payer(by)
    const nonce = await node.client.getTransactionCount({ address, blockTag: 'pending' })
    return planPayment({ to, token: token_, units, nonce }, of(by, token), (await chain.fees())!)
  }
  /** By the node's own wallet, which reads the file's request. */
  const signByNode = (each: EthereumPlan) => {
    const file = ethereumPlanFile({ id: 'b', createdAt: new Date(), contracts: {} }, [
      { reference: 'w', plan: each },
    ])
    const { transaction } = file.transactions[0]!
    return node.client.request({
      method: 'eth_signTransaction' as never,
      params: [transaction] as never,
    }) as Promise<Hex>
  }

  test('[S-04] the node signs the request of the file, and mines what was read', async () => {
    const to = '0x00000000000000000000000000000000000000A1'
    const plans = [await planned(0, 'ETH', to, 5n)]
    plans.push({ ...(await planned(0, 'USDT', to, 7n)), nonce: plans[0]!.nonce + 1 })
    const file = (await Promise.all(plans.map(signByNode))).join('\n')
    for (const { raw } of await readSigned(plans, file))
      expect(await chain.broadcast(raw)).toEqual({ refused: null })
    await node.mine()
    expect(Object.fromEntries(await chain.balances([to]))).toEqual({ ETH: 5n, USDT: 7n })
  })

  test('[S-04] the node takes a fee bump, then a cancellation, in place of a payment', async () => {
    const to = '0x00000000000000000000000000000000000000A2'
    const first = await planned(3, 'ETH', to, 5n)
    const send = async (plans: [EthereumPlan, ...EthereumPlan[]]) => {
      const [read] = await readSigned(plans, await sign(plans.at(-1)!, {}, 3))
      expect(read!.plan).toBe(plans.length - 1)
      expect(await chain.broadcast(read!.raw)).toEqual({ refused: null })
      return read!.transactionId
    }
    await send([first])
    const low = { price: 1n, tip: 1n }
    const second = replacement([first], low)
    await send([first, second])
    const third = cancellation([first, second], low)
    const id = await send([first, second, third])
    await node.mine()
    expect(Object.fromEntries(await chain.balances([to]))).toEqual({ ETH: 0n, USDT: 0n })
    const { height } = await chain.tip()
    const sender = first.from.toLowerCase()
    const watched = { addresses: new Set<string>(), outpoints: new Set<string>(), senders: new Set([sender]) }
    expect((await chain.scan({ from: height, to: height }, watched)).spends).toMatchObject([
      { slot: nonceSlot(sender, first.nonce), transactionId: id },
    ])
  })
})
