import { hexToBytes } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Chain, ChainError, outpointOf, type Watched } from '#server/rails/chain.ts'
import { formatDecimal } from '#shared/money.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type Esplora, startEsplora } from '#test/support/esplora.ts'
import { type Litecoind, startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import { addressAt, bitcoinAccount } from './addresses.ts'
import { coreChain } from './core.ts'
import { esploraChain } from './esplora.ts'
import { bitcoinNetworks } from './networks.ts'
import { idOf } from './wire.ts'

const network = bitcoinNetworks['litecoin-regtest']
const settings = { network, confirmations: 2 }
const versions = { public: 0x04_35_87_cf, private: 0x04_35_83_94 }
const root = HDKey.fromMasterSeed(new Uint8Array(32).fill(7), versions)
const accounts = {
  wpkh: bitcoinAccount(`wpkh(${root.derive("m/84'/1'/0'").publicExtendedKey}/<0;1>/*)`, network),
  tr: bitcoinAccount(`tr(${root.derive("m/86'/1'/0'").publicExtendedKey}/<0;1>/*)`, network),
}
let used = 0
/** An unused address. */
function newAddress(script: keyof typeof accounts = 'wpkh'): string {
  used += 1
  return addressAt(accounts[script], 0, used)
}
const watching = (addresses: string[], outpoints: string[] = []): Watched => ({
  addresses: new Set(addresses),
  outpoints: new Set(outpoints),
  senders: new Set(),
})

describe.skipIf(withoutLitecoind).each(['core', 'esplora'] as const)('bitcoin by %s', backend => {
  let node: Litecoind
  let esplora: Esplora
  let chain: Chain
  beforeAll(async () => {
    node = await startLitecoind()
    atEnd(node.remove)
    esplora = await startEsplora(node)
    atEnd(esplora.stop)
    chain = backend === 'core' ? coreChain(node.url, settings) : esploraChain(esplora.url, settings)
  })
  const height = () => node.call<number>('getblockcount')
  /** Transfers of the last blocks to these. */
  const scanLast = async (blocks: number, watched: Watched) => {
    const to = await height()
    return chain.scan({ from: to - blocks + 1, to }, watched)
  }

  test('[K-02] the tip and the blocks below it are those of the node', async () => {
    const tip = await chain.tip()
    expect(tip.height).toBe(await height())
    expect(tip.hash).toBe(await node.call('getbestblockhash'))
    const { previousblockhash, time } = await node.call<{ previousblockhash: string; time: number }>(
      'getblockheader',
      tip.hash,
    )
    expect(tip.parentHash).toBe(previousblockhash)
    expect(tip.time).toEqual(new Date(time * 1000))
    expect(await chain.blockAt(tip.height)).toEqual(tip)
    expect((await chain.blockAt(tip.height - 1))!.hash).toBe(tip.parentHash)
    expect(await chain.blockAt(tip.height + 1)).toBeUndefined()
    expect(chain.confirmations).toBe(2)
  })

  test('[K-02, K-03] payments to watched addresses are found to the satoshi, whatever their amount', async () => {
    const amounts = [29_000_000n, 12_345_678n, 10_000n, 70_000_007n, 1_999_999_999n, 100_000_000n]
    const paid = amounts.map((satoshi, at) => ({ address: newAddress(at % 2 ? 'tr' : 'wpkh'), satoshi }))
    const strange = { address: newAddress(), satoshi: 5_000_000n }
    // Two deposits in one block, and several in one transaction.
    const ids = [await node.pay(...paid.slice(0, 4), strange), await node.pay(...paid.slice(4))]
    const [hash] = await node.mine()
    const { blocks, transfers, spends } = await scanLast(1, watching(paid.map(({ address }) => address)))
    expect(blocks.map(block => block.hash)).toEqual([hash])
    expect(spends).toEqual([])
    const found = new Map(transfers.map(transfer => [transfer.address, transfer]))
    for (const { address, satoshi } of paid) expect(found.get(address)?.units).toBe(satoshi)
    expect(transfers).toHaveLength(paid.length)
    expect(new Set(transfers.map(({ transactionId }) => transactionId))).toEqual(new Set(ids))
    for (const { transactionId, position, address, token, from, block } of transfers) {
      const seen = await node.call<{ vout: { scriptPubKey: { addresses: string[] } }[]; vin: Input[] }>(
        'getrawtransaction',
        transactionId,
        true,
        hash,
      )
      expect(seen.vout[position]!.scriptPubKey.addresses).toEqual([address])
      expect(from).toEqual(seen.vin.map(input => outpointOf(input.txid, input.vout)))
      expect(token).toBe('BTC')
      expect(block).toEqual({ height: blocks[0]!.height, hash, time: blocks[0]!.time })
    }
  })
  type Input = { txid: string; vout: number }

  test('[K-03] a payment is unconfirmed, then in its block; two parts are two transfers', async () => {
    const address = newAddress()
    const watched = watching([address])
    expect(await chain.pending(watched)).toEqual({ transfers: [], spends: [] })
    const first = await node.pay({ address, satoshi: 300_000n })
    const seen = await chain.pending(watched)
    expect(seen.transfers).toMatchObject([{ transactionId: first, units: 300_000n, block: null }])
    const second = await node.pay({ address, satoshi: 700_000n })
    const both = (await chain.pending(watched)).transfers
    expect(new Set(both.map(({ transactionId }) => transactionId))).toEqual(new Set([first, second]))
    await node.mine()
    expect((await chain.pending(watched)).transfers).toEqual([])
    const { transfers } = await scanLast(1, watched)
    const units = transfers.map(transfer => [transfer.transactionId, transfer.units] as const)
    expect(new Map(units)).toEqual(
      new Map([
        [first, 300_000n],
        [second, 700_000n],
      ]),
    )
    // The same transfers with the same ids.
    for (const { transactionId, position } of both)
      expect(transfers).toContainEqual(expect.objectContaining({ transactionId, position }))
  })

  test('[K-03] an earlier payment is found once its address is watched', async () => {
    const address = newAddress()
    const transactionId = await node.pay({ address, satoshi: 400_000n })
    expect((await chain.pending(watching([newAddress()]))).transfers).toEqual([])
    expect((await chain.pending(watching([address]))).transfers).toMatchObject([{ transactionId }])
    await node.mine()
  })

  test('[K-03] a payment replaced for a higher fee is dropped and its replacement is seen', async () => {
    const address = newAddress()
    const watched = watching([address])
    const replaced = await node.pay({ address, satoshi: 2_500_000n })
    expect((await chain.pending(watched)).transfers).toMatchObject([{ transactionId: replaced }])
    const { txid } = await node.call<{ txid: string }>('bumpfee', replaced)
    expect(txid).not.toBe(replaced)
    expect((await chain.pending(watched)).transfers).toMatchObject([
      { transactionId: txid, address, units: 2_500_000n, block: null },
    ])
    await node.mine()
    expect((await scanLast(1, watched)).transfers.map(({ transactionId }) => transactionId)).toEqual([txid])
  })

  test('[K-03] the spending of a watched output is seen, unconfirmed and in its block', async () => {
    const address = await node.call<string>('getnewaddress')
    const paid = await node.pay({ address, satoshi: 50_000_000n })
    await node.mine()
    const { transfers } = await scanLast(1, watching([address]))
    const outpoint = outpointOf(paid, transfers[0]!.position)
    const input = { txid: paid, vout: transfers[0]!.position }
    const unsigned = await node.call<string>('createrawtransaction', [input], { [newAddress()]: '0.4999' })
    const { hex } = await node.call<{ hex: string }>('signrawtransactionwithwallet', unsigned)
    const spending = await node.call<string>('sendrawtransaction', hex)
    const watched = watching([], [outpoint])
    expect(await chain.pending(watched)).toEqual({
      transfers: [],
      spends: [{ slot: outpoint, sender: null, transactionId: spending, block: null }],
    })
    const [hash] = await node.mine()
    const { spends } = await scanLast(1, watched)
    expect(spends).toMatchObject([{ slot: outpoint, transactionId: spending, block: { hash } }])
    // Scanned together with the block that created the output, which was unknown before.
    expect((await scanLast(2, watching([address]))).spends).toEqual(spends)
  })

  /** Spends one of the wallet's coins, without sending it. */
  const signedSpend = async (feeSatoshi: bigint, of?: { txid: string; vout: number; amount: number }) => {
    const coins = await node.call<{ txid: string; vout: number; amount: number }[]>('listunspent')
    const coin = of ?? coins.find(({ amount }) => amount >= 1)!
    const left = BigInt(Math.round(coin.amount * 1e8)) - feeSatoshi
    const input = { txid: coin.txid, vout: coin.vout, sequence: 0xffff_fffd }
    const unsigned = await node.call<string>(
      'createrawtransaction',
      [input],
      [{ [newAddress()]: formatDecimal(left, 8) }],
    )
    const { hex } = await node.call<{ hex: string }>('signrawtransactionwithwallet', unsigned)
    return { coin, raw: hexToBytes(hex), id: idOf(Transaction.fromRaw(hexToBytes(hex)).unsignedTx) }
  }

  test('[S-04] a broadcast transaction is accepted again and again, also from a block', async () => {
    const { raw, id } = await signedSpend(1_000n)
    for (const _ of [1, 2]) {
      expect(await chain.broadcast(raw)).toEqual({ refused: null })
      expect(await node.call('getrawmempool')).toEqual([id])
    }
    await node.mine()
    expect(await chain.broadcast(raw)).toEqual({ refused: null })
  })

  test("[S-04] a refused transaction comes back with the node's reason", async () => {
    const { raw, coin } = await signedSpend(5_000n)
    await chain.broadcast(raw)
    const cheaper = await signedSpend(4_000n, coin)
    expect(await chain.broadcast(cheaper.raw)).toEqual({
      refused: expect.stringMatching(/^insufficient fee/),
    })
    await node.mine()
    expect(await chain.broadcast(cheaper.raw)).toEqual({ refused: 'bad-txns-inputs-missingorspent' })
    expect(await chain.broadcast(raw.subarray(1))).toEqual({ refused: expect.stringMatching(/decode/i) })
    const tampered = Uint8Array.from((await signedSpend(1_000n)).raw)
    tampered[tampered.length - 60]! ^= 1
    expect(await chain.broadcast(tampered)).toEqual({
      refused: expect.stringMatching(/script-verify-flag/),
    })
  })

  test('[S-04] a node without an estimate of fees gives none', async () => {
    expect(await chain.fees()).toBeNull()
  })

  test.each([1, 2, 3, 4, 5, 6])(
    '[K-03] a chain whose highest blocks are replaced is seen: %i',
    async depth => {
      const address = newAddress()
      const watched = watching([address])
      const transactionId = await node.pay({ address, satoshi: 600_000n })
      await node.mine(depth)
      const to = await height()
      const range = { from: to - depth + 1, to }
      const before = await chain.scan(range, watched)
      expect(before.transfers).toMatchObject([{ transactionId, block: { height: range.from } }])

      await node.disconnectBlocks(depth)
      expect(await chain.blockAt(range.from)).toBeUndefined()
      expect((await chain.pending(watched)).transfers).toMatchObject([{ transactionId, block: null }])
      await node.mine(depth, { empty: true })
      await node.mine()

      const parent = (await chain.blockAt(range.from - 1))!
      expect(before.blocks[0]!.parentHash).toBe(parent.hash)
      for (const { height: at, hash } of before.blocks) expect((await chain.blockAt(at))!.hash).not.toBe(hash)
      const after = await chain.scan({ from: range.from, to: to + 1 }, watched)
      expect(after.blocks.map(block => block.parentHash)).toEqual([
        parent.hash,
        ...after.blocks.slice(0, -1).map(block => block.hash),
      ])
      expect(after.transfers).toMatchObject([{ transactionId, block: { height: to + 1 } }])
    },
  )

  test('[K-03] scripts that are no address are passed over', async () => {
    const address = newAddress()
    const unsigned = await node.call<string>(
      'createrawtransaction',
      [],
      [{ data: '50726f62697479' }, { [address]: '0.001' }],
    )
    const { hex } = await node.call<{ hex: string }>('fundrawtransaction', unsigned)
    const signed = await node.call<{ hex: string }>('signrawtransactionwithwallet', hex)
    await node.call('sendrawtransaction', signed.hex)
    const watched = watching([address])
    expect((await chain.pending(watched)).transfers).toMatchObject([{ address, units: 100_000n }])
    await node.mine()
    expect((await scanLast(1, watched)).transfers).toMatchObject([{ address, units: 100_000n }])
  })

  test('[K-03] ten thousand watched addresses are synced like one', async () => {
    const last = 20_000
    // Deriving all the others would take longer than all tests here; only their form matters.
    const other = addressAt(accounts.wpkh, 0, 0)
    const others = Array.from({ length: 9_999 }, (_, at) =>
      other.replace(/.{6}$/, String(at).padStart(6, '0')),
    )
    const address = addressAt(accounts.wpkh, 0, last)
    const watched = watching([...others, address])
    expect(watched.addresses.size).toBe(10_000)
    const transactionId = await node.pay({ address, satoshi: 900_001n })
    expect((await chain.pending(watched)).transfers).toMatchObject([{ transactionId, address }])
    await node.mine()
    expect((await scanLast(1, watched)).transfers).toMatchObject([{ transactionId, units: 900_001n }])
  })

  test('[K-02] new coins count with their hundredth confirmation, when they can be spent', async () => {
    const address = newAddress()
    const watched = watching([address])
    await node.call('generatetoaddress', 1, address)
    const coinbase = (await node.call<{ tx: string[] }>('getblock', await node.call('getbestblockhash')))
      .tx[0]
    expect((await scanLast(1, watched)).transfers).toEqual([])
    await node.mine(98)
    expect((await scanLast(99, watched)).transfers).toEqual([])
    const [hash] = await node.mine(1)
    const { transfers } = await scanLast(1, watched)
    expect(transfers).toMatchObject([
      { transactionId: coinbase, address, from: [], block: { height: await height(), hash } },
    ])
    expect(transfers[0]!.units).toBeGreaterThan(0n)
  })

  test('[K-03] balances of addresses are exact to the satoshi', async () => {
    const own = await node.call<string>('getnewaddress')
    const addresses = [newAddress(), newAddress('tr'), own]
    await node.pay(...addresses.map((address, at) => ({ address, satoshi: 29_000_000n + BigInt(at) })))
    expect(await chain.balances(addresses)).toEqual(new Map([['BTC', 0n]]))
    await node.mine()
    expect(await chain.balances(addresses)).toEqual(new Map([['BTC', 87_000_003n]]))
    expect(await chain.balances(addresses.slice(1, 2))).toEqual(new Map([['BTC', 29_000_001n]]))
    // Spent coins are not in the balance.
    const [spent] = await node.call<Input[]>('listunspent', 1, 1, [own])
    const inputs = [{ txid: spent!.txid, vout: spent!.vout }]
    const unsigned = await node.call<string>('createrawtransaction', inputs, { [newAddress()]: '0.2899' })
    const { hex } = await node.call<{ hex: string }>('signrawtransactionwithwallet', unsigned)
    await node.call('sendrawtransaction', hex)
    await node.mine()
    expect(await chain.balances(addresses)).toEqual(new Map([['BTC', 58_000_001n]]))
    expect(await chain.balances([])).toEqual(new Map([['BTC', 0n]]))
    await expect(chain.balances(['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'])).rejects.toThrow(RangeError)
  })

  test('[K-03] a range of replaced blocks is an error', async () => {
    const above = (await height()) + 1
    await expect(chain.scan({ from: above, to: above }, watching([]))).rejects.toThrow(
      new ChainError(`block ${above} is not there any more`),
    )
  })

  test('[K-02] a backend of another network is not believed', async () => {
    const other = { network: bitcoinNetworks.main, confirmations: 2 }
    const chain = backend === 'core' ? coreChain(node.url, other) : esploraChain(esplora.url, other)
    for (const look of looks(chain)) {
      await expect(look()).rejects.toThrow(
        new ChainError('it is not on Bitcoin: its first block is another one'),
      )
    }
  })

  // Last, because the node restarts with an empty mempool.
  test('[K-03] an unreachable node is an error in plain words and is synced when it is back', async () => {
    const tip = await chain.tip()
    await node.stop()
    for (const look of looks(chain)) {
      const words = backend === 'core' ? /^\w+: it cannot be reached$/ : /: HTTP 500$/
      const error = await look().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ChainError)
      expect((error as ChainError).message).toMatch(words)
    }
    await node.start()
    expect(await chain.tip()).toEqual(tip)
  })
})

const looks = (chain: Chain) => [
  () => chain.tip(),
  () => chain.blockAt(1),
  () => chain.scan({ from: 1, to: 2 }, watching([])),
  () => chain.pending(watching([])),
  () => chain.balances([addressAt(accounts.wpkh, 0, 0)]),
]
