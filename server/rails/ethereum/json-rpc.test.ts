import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { type Address, hexToBytes, keccak256 } from 'viem'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Chain, ChainError, nonceSlot, type Transfer, type Watched } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { openAnvil, payer, type TestChain, transferData, withoutAnvil } from '#test/support/anvil.ts'
import { ethereumAddressAt, parseEthereumAccount } from './addresses.ts'
import { type EthereumChainSettings, ethereumChain } from './json-rpc.ts'

const seed = mnemonicToSeedSync('legal winner thank year wave sausage worth useful legal winner thank yellow')
const account = parseEthereumAccount(HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'").publicExtendedKey)
const depositAddress = (index: number) => ethereumAddressAt(account, index) as Address

const ether = 10n ** 18n

let node: TestChain
/** USDT as on the main network, whose `transfer` returns nothing; USDC by EIP-20; an unrelated token. */
let usdt: Address
let usdc: Address
let other: Address
let settings: EthereumChainSettings
let chain: Chain

describe.skipIf(withoutAnvil !== undefined)(
  `Ethereum on a real chain${withoutAnvil ? `: ${withoutAnvil}` : ''}`,
  () => {
    beforeAll(async () => {
      node = await openAnvil()
      usdt = await node.token(0, { answers: false })
      usdc = await node.token(0)
      other = await node.token(0, { decimals: 18 })
      settings = {
        rpcUrl: node.url,
        chainId: 31_337,
        confirmations: 3,
        contracts: { USDT: usdt, USDC: usdc },
      }
      chain = ethereumChain(settings)
    })

    test('[D-16] ether arrives exactly, in gwei, with its block, its time and its sender', async () => {
      const [to] = nextAddresses(1)
      const id = await node.send(1, { to, value: 1_234_567_890_123_456_789n })
      await node.mine()
      const tip = await chain.tip()
      const { blocks, transfers } = await scanLast(1, [to])
      expect(blocks).toEqual([tip])
      expect(transfers).toEqual([
        {
          transactionId: id,
          position: 0,
          address: addressKey(to),
          token: 'ETH',
          units: 1_234_567_890n,
          from: [addressKey(payer(1).address)],
          block: { height: tip.height, hash: tip.hash, time: tip.time },
        },
      ])
      const { timestamp, parentHash } = await node.client.getBlock()
      expect(tip).toMatchObject({ parentHash, time: new Date(Number(timestamp) * 1000) })
    })

    test('[D-16] USDT arrives exactly although it returns nothing; USDC is named', async () => {
      const [to] = nextAddresses(1)
      await node.sendToken(0, usdt, to, 100_500_001n)
      await node.sendToken(0, usdc, to, 7n)
      await node.mine()
      const { transfers } = await scanLast(1, [to])
      expect(told(transfers)).toEqual(['USDT 100500001', 'USDC 7'])
      expect(transfers.map(({ position }) => position)).toEqual([1, 1])
      expect(transfers[0]!.from).toEqual([addressKey(payer(0).address)])
    })

    test('deposits in one block, in two parts, and of ether and USDT together are all seen', async () => {
      const [first, second] = nextAddresses(2)
      await node.send(1, { to: first, value: ether })
      await node.send(2, { to: second, value: ether / 2n })
      await node.send(1, { to: second, value: ether / 4n })
      await node.sendToken(0, usdt, first, 5_000_000n)
      await node.mine()
      const { transfers } = await scanLast(1, [first, second])
      const at = (address: string) =>
        told(transfers.filter(one => one.address === addressKey(address))).sort()
      expect(at(first)).toEqual(['ETH 1000000000', 'USDT 5000000'])
      expect(at(second)).toEqual(['ETH 250000000', 'ETH 500000000'])
    })

    test('a payment over several blocks is found in the order of the blocks', async () => {
      const [to] = nextAddresses(1)
      const { height } = await chain.tip()
      for (let part = 1n; part <= 25n; part += 1n) {
        await node.send(3, { to, value: part * 10n ** 9n })
        await node.mine()
      }
      const { blocks, transfers } = await chain.scan({ from: height + 1, to: height + 25 }, watch([to]))
      expect(transfers.map(({ units }) => units)).toEqual(
        Array.from({ length: 25 }, (_, at) => BigInt(at + 1)),
      )
      expect(blocks.map(block => block.height)).toEqual(
        Array.from({ length: 25 }, (_, at) => height + 1 + at),
      )
    })

    test('failed, empty and self-sent transfers do not arrive', async () => {
      const [to] = nextAddresses(1)
      const self = payer(4).address
      // The contract refuses ether, and tokens beyond its balance; both transactions are in the block.
      const refused = [await node.send(4, { to: usdt, value: ether }), await node.sendToken(4, usdt, to, 1n)]
      await node.send(4, { to, value: 999_999_999n })
      await node.send(4, { to, value: 0n })
      await node.send(4, { to: self, value: ether })
      await node.sendToken(0, usdt, to, 0n)
      await node.sendToken(0, usdt, payer(0).address, 5n)
      await node.mine()
      for (const hash of refused)
        expect(await node.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'reverted' })
      const { transfers } = await scanLast(1, [to, usdt, self, payer(0).address])
      expect(transfers).toEqual([])
    })

    test('an unknown token is nothing, whatever it calls its event', async () => {
      const [to] = nextAddresses(1)
      await node.sendToken(0, other, to, 5n * ether)
      await node.mine()
      expect((await scanLast(1, [to])).transfers).toEqual([])
    })

    test('transfers of one transaction keep their log index; internal ether is in balances', async () => {
      const [to] = nextAddresses(1)
      // The contract gets the money that it will pay out before it exists.
      const contract = await node.contractAfter(0, 3)
      for (const token of [usdt, usdc, other]) await node.sendToken(0, token, contract, 100n)
      const pay = (token: Address, units: bigint) => ({ to: token, data: transferData(to, units) })
      const calls = [pay(other, 1n), pay(usdt, 10n), pay(usdc, 20n), pay(usdt, 30n), { to, value: ether }]
      const id = await node.sendCalls(0, calls, ether)
      await node.mine()
      const { transfers } = await scanLast(1, [to])
      expect(transfers.map(({ transactionId, position }) => ({ transactionId, position }))).toEqual(
        [2, 3, 4].map(position => ({ transactionId: id, position })),
      )
      expect(told(transfers)).toEqual(['USDT 10', 'USDC 20', 'USDT 30'])
      const lying = await chain.balances([addressKey(to)])
      expect(Object.fromEntries(lying)).toEqual({ ETH: 10n ** 9n, USDT: 40n, USDC: 20n })
    })

    test('[D-17] an unconfirmed transfer keeps its identity when it is mined', async () => {
      const [to] = nextAddresses(1)
      await node.send(1, { to, value: ether })
      await node.sendToken(0, usdt, to, 3n)
      const waiting = await chain.pending(watch([to]))
      expect(waiting.transfers.map(({ block }) => block)).toEqual([null, null])
      expect(told(waiting.transfers).sort()).toEqual(['ETH 1000000000', 'USDT 3'])
      await node.mine()
      expect((await chain.pending(watch([to]))).transfers).toEqual([])
      const { transfers } = await scanLast(1, [to])
      const names = (list: Transfer[]) =>
        list.map(({ transactionId, position }) => `${transactionId} ${position}`).sort()
      expect(names(transfers)).toEqual(names(waiting.transfers))
    })

    test('a replaced payment is no longer pending', async () => {
      const [to] = nextAddresses(1)
      const nonce = await node.client.getTransactionCount({ address: payer(5).address })
      await node.send(5, { to, value: ether }, { nonce, gwei: 10n })
      expect((await chain.pending(watch([to]))).transfers).toHaveLength(1)
      await node.send(5, { to: payer(5).address, value: 0n }, { nonce, gwei: 20n })
      expect((await chain.pending(watch([to]))).transfers).toEqual([])
      await node.mine()
      expect((await scanLast(1, [to])).transfers).toEqual([])
    })

    test.for([1, 2, 3, 4, 5, 6])(
      'a reorg of the last %i blocks moves the same transfer to another block',
      async depth => {
        const [to, neighbour] = nextAddresses(2)
        const base = await node.client.snapshot()
        const nonces = await Promise.all(
          [0, 6].map(by => node.client.getTransactionCount({ address: payer(by).address })),
        )
        const payment = () => node.client.sendTransaction(tokenPayment(0, nonces[0]!, to, 10n))
        const before = await chain.tip()
        await payment()
        await node.mine(depth)
        const first = await scanLast(depth, [to])
        // Another event comes before it now.
        await node.fork(base, depth, [
          async () => {
            const data = transferData(neighbour, 0n)
            await node.send(6, { to: usdt, data }, { nonce: nonces[1]!, gwei: 50n })
          },
          payment,
        ])
        const tip = await chain.tip()
        expect(tip.height).toBe(before.height + depth + 1)
        const replaced = await chain.blockAt(before.height + 1)
        expect(replaced!.hash).not.toBe(first.blocks[0]!.hash)
        expect(replaced!.parentHash).toBe(before.hash)
        const second = await scanLast(depth + 1, [to])
        const { block: firstBlock, ...same } = first.transfers[0]!
        expect(second.transfers).toHaveLength(1)
        expect(second.transfers[0]).toMatchObject(same)
        expect(second.transfers[0]!.block!.hash).not.toBe(firstBlock!.hash)
        const receipt = await node.client.getTransactionReceipt({ hash: same.transactionId as Address })
        expect(receipt.logs[0]!.logIndex).toBe(1)
        expect(same.position).toBe(1)
      },
    )

    test('[K-02] ten thousand watched addresses are synced like one', async () => {
      const many = Array.from(
        { length: 10_000 },
        (_, index) => `0x${(index + 1).toString(16).padStart(40, 'a')}`,
      )
      const [to] = nextAddresses(1)
      await node.send(1, { to: many[7_777] as Address, value: ether })
      await node.sendToken(0, usdt, to, 9n)
      await node.mine()
      const { transfers } = await scanLast(1, [...many, to])
      expect(told(transfers).sort()).toEqual(['ETH 1000000000', 'USDT 9'])
    })

    test('balances of many addresses are summed, and cut to gwei once', async () => {
      const several = nextAddresses(230)
      for (const to of several.slice(0, 3)) {
        await node.send(1, { to, value: 1_500_000_000n })
        await node.sendToken(0, usdt, to, 2n)
      }
      await node.send(1, { to: several[229], value: 500_000_000n })
      await node.mine()
      const found = await chain.balances(several.map(addressKey))
      expect(Object.fromEntries(found)).toEqual({ ETH: 5n, USDT: 6n, USDC: 0n })
      expect(Object.fromEntries(await chain.balances([]))).toEqual({ ETH: 0n, USDT: 0n, USDC: 0n })
    })

    test('[S-04] the next nonce of an address counts what is unconfirmed', async () => {
      const { address } = payer(7)
      const [to] = nextAddresses(1)
      const next = () => chain.nextNonce!(addressKey(address))
      expect(await next()).toEqual({ nonce: 0, safe: null })
      await node.send(7, { to, value: ether })
      expect(await next()).toEqual({ nonce: 1, safe: null })
      await node.mine()
      expect(await next()).toEqual({ nonce: 1, safe: null })
    })

    test('[S-04] whatever a sender signs uses its nonce, also a failed or an unrelated call', async () => {
      const sender = addressKey(payer(8).address)
      const watched = { ...watch([]), senders: new Set([sender]) }
      const [to] = nextAddresses(1)
      const ids = [
        await node.send(8, { to, value: ether }, { nonce: 0 }),
        // More than it has: fails, and uses its nonce.
        await node.send(8, { to: usdt, data: transferData(to, 10n ** 12n) }, { nonce: 1 }),
        await node.send(8, { to: other, data: '0x06fdde03' }, { nonce: 2 }),
      ]
      await node.send(7, { to, value: ether })
      const used = ids.map((transactionId, nonce) => ({
        slot: nonceSlot(sender, nonce),
        sender,
        transactionId,
      }))
      expect((await chain.pending(watched)).spends).toEqual(used.map(spend => ({ ...spend, block: null })))
      await node.mine()
      const { height, hash, time } = await chain.tip()
      expect((await chain.scan({ from: height, to: height }, watched)).spends).toEqual(
        used.map(spend => ({ ...spend, block: { height, hash, time } })),
      )
    })

    test('[S-04] an authorization that somebody else submits uses a nonce of its signer', async () => {
      const authority = payer(6)
      const sender = addressKey(authority.address)
      const { nonce } = await chain.nextNonce!(sender)
      const authorize = (of: number, chainId = 31_337) =>
        authority.signAuthorization!({ chainId, address: usdt, nonce: of })
      const valid = await authorize(nonce)
      // Another chain's, and one with another nonce than its signer's by then, have no effect.
      const authorizationList = [await authorize(nonce, 5), valid, await authorize(nonce + 5)]
      const transactionId = await node.send(7, { to: other, authorizationList })
      await node.mine()
      const { height, hash, time } = await chain.tip()
      const watched = { ...watch([]), senders: new Set([sender]) }
      expect(await chain.nextNonce!(sender)).toMatchObject({ nonce: nonce + 1 })
      expect((await chain.scan({ from: height, to: height }, watched)).spends).toEqual([
        { slot: nonceSlot(sender, nonce), sender, transactionId, block: { height, hash, time } },
      ])
      // Anybody may submit it again: it has no effect any more.
      await node.send(7, { to: other, authorizationList: [valid] })
      await node.mine()
      expect((await chain.scan({ from: height + 1, to: height + 1 }, watched)).spends).toEqual([])
    })

    /** Signed, and not sent. */
    const signedBy = async (by: number, nonce: number, gwei: bigint) => {
      const price = gwei * 10n ** 9n
      const signed = await payer(by).signTransaction({
        chainId: 31_337,
        type: 'eip1559',
        to: payer(by).address,
        nonce,
        gas: 21_000n,
        maxFeePerGas: price,
        maxPriorityFeePerGas: price,
      })
      return { raw: hexToBytes(signed), id: keccak256(signed) }
    }

    test('[S-04] a broadcast transaction is accepted again and again, also from a block', async () => {
      const { raw, id } = await signedBy(9, 0, 10n)
      for (const _ of [1, 2]) expect(await chain.broadcast(raw)).toEqual({ refused: null })
      await node.mine()
      expect((await node.client.getTransaction({ hash: id })).blockNumber).not.toBeNull()
      expect(await chain.broadcast(raw)).toEqual({ refused: null })
      const cheaper = await signedBy(9, 0, 9n)
      expect(await chain.broadcast(cheaper.raw)).toEqual({ refused: expect.stringMatching(/nonce too low/i) })
      expect(await chain.broadcast(raw.subarray(1))).toEqual({ refused: expect.any(String) })
    })

    test('[S-04] a replacement that pays too little more is refused in words', async () => {
      const [first, second] = [await signedBy(9, 1, 10n), await signedBy(9, 1, 10n + 1n)]
      await chain.broadcast(first.raw)
      const same = await signedBy(9, 1, 9n)
      expect(await chain.broadcast(same.raw)).toEqual({ refused: expect.stringMatching(/underpriced/i) })
      expect(await chain.broadcast(second.raw)).toEqual({ refused: null })
      await node.mine()
    })

    test('[S-04] fees are twice the base fee and the tip that the node suggests', async () => {
      const { baseFeePerGas } = await node.client.getBlock()
      const tip = await node.client.estimateMaxPriorityFeePerGas()
      expect(await chain.fees()).toEqual({ price: 2n * baseFeePerGas! + tip, tip })
    })

    test('there is no block above the tip, and none can be scanned there', async () => {
      const { height } = await chain.tip()
      expect(await chain.blockAt(height + 1)).toBeUndefined()
      expect(await chain.blockAt(0)).toMatchObject({ height: 0 })
      await expect(chain.scan({ from: height, to: height + 1 }, watch([]))).rejects.toThrow(ChainError)
    })

    test('a node of another chain, or without the tokens, is not believed', async () => {
      const messageOf = (changed: Partial<EthereumChainSettings>) =>
        ethereumChain({ ...settings, ...changed })
          .tip()
          .then(
            () => 'none',
            error => (error instanceof ChainError ? error.message : `not an error of the chain: ${error}`),
          )
      expect(await messageOf({})).toBe('none')
      expect(await messageOf({ chainId: 1 })).toBe('the node is on chain 31337, not on 1')
      const nobody = '0x00000000000000000000000000000000000000aa'
      expect(await messageOf({ contracts: { USDT: nobody } })).toBe(
        `there is no USDT at ${nobody} on this chain`,
      )
      expect(await messageOf({ contracts: { USDC: other } })).toBe(
        `${other.toLowerCase()} has 18 decimals, USDC has 6`,
      )
      const elsewhere = ethereumChain({ ...settings, chainId: 1 })
      for (const ask of [
        () => elsewhere.blockAt(0),
        () => elsewhere.scan({ from: 0, to: 0 }, watch([])),
        () => elsewhere.pending(watch([])),
        () => elsewhere.balances([]),
      ])
        await expect(ask()).rejects.toThrow('the node is on chain 31337, not on 1')
    })

    test('a node that changes to another chain is found out before its blocks are compared', async () => {
      const answers: Record<string, unknown> = {}
      const one = ethereumChain({ ...settings, rpcUrl: await nodeBefore(node.url, { answers }) })
      const { height } = await one.tip()
      answers.eth_chainId = '0x1'
      // The tip alone proves nothing, and a block must follow from those that we know.
      await one.tip()
      await expect(one.blockAt(height)).rejects.toThrow('the node is on chain 1, not on 31337')
      await expect(one.scan({ from: height + 1, to: height + 1 }, watch([]))).rejects.toThrow('not there')
      await expect(one.tip()).rejects.toThrow('the node is on chain 1, not on 31337')
    })

    test('events of another block are an error', async () => {
      const { height } = await chain.tip()
      await node.sendToken(0, usdt, nextAddresses(1)[0], 1n)
      await node.mine()
      const [log] = await node.client.getLogs({ address: usdt })
      const eth_getLogs = [{ ...log, blockHash: `0x${'ab'.repeat(32)}`, topics: log!.topics }]
      const rpcUrl = await nodeBefore(node.url, { answers: { eth_getLogs: JSON.parse(textOf(eth_getLogs)) } })
      const scan = ethereumChain({ ...settings, rpcUrl }).scan(
        { from: height + 1, to: height + 1 },
        watch([]),
      )
      await expect(scan).rejects.toThrow(`events of another block than ${height + 1}`)
    })

    test.for([
      ['before the events are asked for', 'eth_getLogs', 1, 5, {}],
      // Some nodes answer like this for a replaced block.
      ['before the events are asked for, of which it knows none', 'eth_getLogs', 1, 5, { eth_getLogs: [] }],
      ['before the receipts are asked for', 'eth_getTransactionReceipt', 1, 5, {}],
      ['between the first ten blocks and the next', 'eth_getBlockByNumber', 12, 12, {}],
    ] as const)(
      'a chain that changes %s is an error, and not two chains mixed',
      async ([_, method, nth, blocks, answers]) => {
        const [to] = nextAddresses(1)
        const { height } = await chain.tip()
        await node.mine(blocks - 4)
        const base = await node.client.snapshot()
        await node.sendToken(0, usdt, to, 1n)
        await node.mine(4)
        let asked = 0
        const url = await nodeBefore(node.url, {
          answers,
          before: async next => {
            if (next === method) asked += 1
            if (next === method && asked === nth) await node.fork(base, 4)
          },
        })
        const scan = (rpcUrl: string) =>
          ethereumChain({ ...settings, rpcUrl }).scan({ from: height + 1, to: height + blocks }, watch([to]))
        await expect(scan(url)).rejects.toThrow(ChainError)
        expect(asked).toBeGreaterThanOrEqual(nth)
        // The next sync sees the chain's current state.
        expect((await scan(url)).transfers).toEqual([])
      },
    )

    test('a node that syncs, or answers something else than is documented, is an error', async () => {
      const messageWith = async (
        answers: Record<string, unknown>,
        work = (one: Chain) => one.tip() as Promise<unknown>,
      ) => {
        const rpcUrl = await nodeBefore(node.url, { answers })
        const error = await work(ethereumChain({ ...settings, rpcUrl })).catch((reason: Error) => reason)
        expect(error).toBeInstanceOf(ChainError)
        return (error as ChainError).message
      }
      expect(await messageWith({ eth_syncing: { currentBlock: '0x1', highestBlock: '0x2' } })).toBe(
        'the node is still syncing',
      )
      for (const block of [null, 7, 'yes', [], { number: '0x1' }, { number: 1, hash: '0x', parentHash: '' }])
        expect(await messageWith({ eth_getBlockByNumber: block })).not.toBe('')
      const { height } = await chain.tip()
      const scan = (one: Chain) => one.scan({ from: height, to: height }, watch([]))
      expect(await messageWith({ eth_getBlockByNumber: null }, scan)).toBe(
        `block ${height} is not there any more`,
      )
      await node.send(1, { to: usdt })
      await node.mine()
      const next = (one: Chain) => one.scan({ from: height + 1, to: height + 1 }, watch([]))
      expect(await messageWith({ eth_getLogs: [{ address: usdt, topics: ['0x1'] }] }, next)).toMatch(
        /^eth_getLogs: unexpected answer/,
      )
    })
  },
)

test("a refusal never repeats the node's address, and an error of the node is none", async () => {
  const answering = async (error: { code: number; message: string }) => {
    const url = await serve((body, respond) => {
      const asked = [JSON.parse(body)].flat() as Asked[]
      const results: Record<string, unknown> = { eth_chainId: '0x1', eth_syncing: false }
      const answered = asked.map(({ id, method }) => ({
        jsonrpc: '2.0',
        id,
        ...(method === 'eth_sendRawTransaction' ? { error } : { result: results[method] ?? null }),
      }))
      respond(200, JSON.stringify(answered))
    })
    const rpcUrl = `${url}/v3/0123456789abcdef?key=fedcba9876543210`
    return ethereumChain({ rpcUrl, chainId: 1, confirmations: 3, contracts: {} }).broadcast(Uint8Array.of(2))
  }
  const words = 'gas 0123456789abcdef at https://node.example/fedcba9876543210 too low, fedcba9876543210'
  expect(await answering({ code: -32_000, message: words })).toEqual({ refused: 'gas … at … too low, …' })
  for (const code of [-32_601, -32_603, -32_005])
    await expect(answering({ code, message: words })).rejects.toThrow(`eth_sendRawTransaction: error ${code}`)
})

test("a node's error never repeats the node's address", async () => {
  const errorAt = async (url: string) => {
    const chain = ethereumChain({ rpcUrl: url, chainId: 1, confirmations: 12, contracts: {} })
    const error = await chain.tip().catch(reason => reason)
    expect(error).toBeInstanceOf(ChainError)
    expect(error.message).not.toContain('secret')
    expect(error.message).not.toContain(new URL(url).host)
    return error as ChainError
  }
  const answering = async (status: number, body: string, headers: Record<string, string> = {}) => {
    const url = await serve((_asked, respond) => respond(status, body, headers))
    return errorAt(`${url.replace('//', '//user:secret@')}/v3/secret`)
  }
  expect((await answering(500, '<html>secret</html>')).message).toMatch(/HTTP 500$/)
  expect(await answering(429, '{}', { 'retry-after': '7' })).toMatchObject({ waitMs: 7000 })
  expect((await answering(200, '<html>Welcome</html>')).message).toMatch(/answers no JSON$/)
  expect((await answering(200, '{}')).message).toMatch(/answers no JSON$/)
  const refusal = JSON.stringify({ error: { code: -32_000, message: 'no key secret' } })
  expect(await answering(401, refusal)).toMatchObject({
    message: expect.stringMatching(/error -32000$/),
    details: 'no key secret',
  })
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  await new Promise(resolve => gone.close(resolve))
  expect((await errorAt(`http://127.0.0.1:${port}/secret`)).message).toMatch(/cannot be reached/)
})

let given = 0
/** Deposit addresses that no other test uses. */
function nextAddresses<Count extends number>(count: Count) {
  given += count
  const addresses = Array.from({ length: count }, (_, index) => depositAddress(given - count + index))
  return addresses as Address[] & { 0: Address; 1: Address }
}

function watch(addresses: readonly string[]): Watched {
  return { addresses: new Set(addresses.map(addressKey)), outpoints: new Set(), senders: new Set() }
}

async function scanLast(blocks: number, addresses: readonly string[]) {
  const { height } = await chain.tip()
  return chain.scan({ from: height - blocks + 1, to: height }, watch(addresses))
}

function told(transfers: readonly Transfer[]): string[] {
  return transfers.map(({ token, units }) => `${token} ${units}`)
}

/** JSON with quantities in hexadecimal. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `0x${part.toString(16)}` : part))
}

/** The same transaction each time it is sent, with the same id. */
function tokenPayment(by: number, nonce: number, to: Address, units: bigint) {
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n, gas: 200_000n }
  return { account: payer(by), to: usdt, data: transferData(to, units), nonce, ...fees }
}

type Asked = { id: number; method: string }

/** A proxy in front of the real node that runs something before a method, or answers it itself. */
async function nodeBefore(
  real: string,
  { before, answers = {} }: { before?: (method: string) => Promise<void>; answers?: Record<string, unknown> },
): Promise<string> {
  return serve(async (body, respond) => {
    const asked = [JSON.parse(body)].flat() as Asked[]
    const answered = []
    for (const request of asked) {
      await before?.(request.method)
      const own = { jsonrpc: '2.0', id: request.id, result: answers[request.method] }
      answered.push(request.method in answers ? own : await passOn(real, request))
    }
    respond(200, JSON.stringify(answered))
  })
}

async function passOn(real: string, request: Asked): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(real, { method: 'POST', headers, body: JSON.stringify(request) })).json()
}

type Respond = (status: number, body: string, headers?: Record<string, string>) => void

/** An HTTP server until the test ends. */
async function serve(answer: (body: string, respond: Respond) => void | Promise<void>): Promise<string> {
  const server = createServer(async (request, response) => {
    await answer(await text(request), (status, body, headers = {}) => {
      const type = body.startsWith('<') ? 'text/html' : 'application/json'
      response.writeHead(status, { 'content-type': type, ...headers }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
