import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Address, Hex } from 'viem'
import { demoAccount } from '#server/demo/chain.ts'
import { addressOfScript } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import type { RailConfig } from '#server/rails/rails.ts'
import { formatDecimal, parseDecimal } from '#shared/money.ts'
import { openAnvil, payer } from './anvil.ts'
import { atEnd } from './clean-up.ts'
import { startLitecoind } from './litecoind.ts'
import { derivedRails } from './watched.ts'

/**
 * A real network with a payer's wallet that can do everything that networks do; the interface is the same for each
 * kind, so the product must handle all of them alike.
 */
export type RealNetwork = {
  readonly rail: 'bitcoin' | 'ethereum'
  /** Settings by which the product receives there, each payment at its own address. */
  readonly rails: RailConfig['rails']
  /** The same as environment variables. */
  readonly env: Record<string, string>
  /**
   * One unconfirmed transaction.
   * @param units satoshi or gwei
   * @returns its id
   */
  pay(address: string, units: bigint): Promise<string>
  /**
   * Replaces an unconfirmed transaction by one with a higher fee: by the same coins (BIP-125), or by the same nonce.
   * @param with the payment again, or none: the coins go elsewhere
   * @returns its id
   */
  replace(id: string, options: { with: 'payment' | 'nothing' }): Promise<string>
  /** Mines blocks; the first one takes unconfirmed transactions. */
  mine(blocks?: number): Promise<void>
  /** Replaces the last blocks by one more empty ones; their transactions become unconfirmed. */
  reorganise(depth: number): Promise<void>
  /** Makes the node unreachable, or reachable again; the chain continues meanwhile. */
  setAway(isAway: boolean): void
}

/** Bitcoin's kind, by litecoind. It ends with the test file. */
export async function realBitcoin(): Promise<RealNetwork> {
  const node = await startLitecoind({ funded: 0 })
  atEnd(node.remove)
  const network = bitcoinNetworks['litecoin-regtest']
  const nobody = (which = 0) =>
    addressOfScript(Uint8Array.of(0, 20, ...new Uint8Array(20).fill(which)), network)!
  let forks = 0
  // Coins mined above the common ancestor vanish in a reorg, so the wallet uses old ones only.
  await node.call('generatetoaddress', 5, await node.call('getnewaddress'))
  await node.call('generatetoaddress', 100, nobody())
  const gateway = await openGateway(node.url)
  const rails = derivedRails()
  const backend = { kind: 'core', url: gateway.url } as const
  const bitcoin = { ...rails.bitcoin, network: 'litecoin-regtest', backend } as const
  return {
    rail: 'bitcoin',
    rails: { ...rails, bitcoin },
    env: {
      BITCOIN_NETWORK: 'litecoin-regtest',
      BITCOIN_XPUB: bitcoin.xpub!,
      BITCOIN_RPC_URL: gateway.url,
    },
    pay: (address, satoshi) => node.pay({ address, satoshi }),
    async replace(id, options) {
      if (options.with === 'payment') return (await node.call<{ txid: string }>('bumpfee', id)).txid
      const { hex, fee } = await node.call<{ hex: string; fee: number }>('gettransaction', id)
      type Decoded = { vin: { txid: string; vout: number }[]; vout: { value: number }[] }
      const { vin, vout } = await node.call<Decoded>('decoderawtransaction', hex)
      const paid = vout.reduce((sum, { value }) => sum + parseDecimal(value.toFixed(8), 8)!, 0n)
      // Ten times the fee: nine more than what the outputs left out before.
      const left = paid - 9n * parseDecimal((-fee).toFixed(8), 8)!
      const inputs = vin.map(({ txid, vout: index }) => ({ txid, vout: index }))
      const outputs = [{ [await node.call<string>('getnewaddress')]: formatDecimal(left, 8) }]
      const bare = await node.call<string>('createrawtransaction', inputs, outputs, 0, true)
      const signed = await node.call<{ hex: string }>('signrawtransactionwithwallet', bare)
      return node.call<string>('sendrawtransaction', signed.hex, 0)
    },
    mine: async (blocks = 1) => {
      await node.call('generatetoaddress', blocks, nobody())
    },
    async reorganise(depth) {
      const height = await node.call<number>('getblockcount')
      const freed: { txid: string; hex: string }[] = []
      for (let at = height - depth + 1; at <= height; at += 1) {
        const hash = await node.call<string>('getblockhash', at)
        const { tx } = await node.call<{ tx: typeof freed }>('getblock', hash, 2)
        freed.push(...tx.slice(1))
      }
      await node.disconnectBlocks(depth)
      forks += 1
      // Another miner, so that no new block equals an old one.
      for (let made = 0; made <= depth; made += 1) await node.call('generateblock', nobody(forks), [])
      // The node has forgotten transactions with an nLockTime beyond the next block, so its wallet resends them.
      const waiting = await node.call<string[]>('getrawmempool')
      for (const { txid, hex } of freed)
        if (!waiting.includes(txid)) await node.call('sendrawtransaction', hex, 0)
    },
    setAway: gateway.setAway,
  }
}

/** Blocks with a snapshot each; deeper blocks are never replaced. */
const DEEPEST = 10

/** Ethereum's kind, by anvil. It ends with the test file. */
export async function realEthereum(): Promise<RealNetwork> {
  const node = await openAnvil()
  const gateway = await openGateway(node.url)
  const { client } = node
  const sender = payer(1)
  const rails = derivedRails({ ethereum: demoAccount })
  const ethereum = { ...rails.ethereum, chainId: client.chain.id, rpcUrl: gateway.url }
  /** Signed transactions by id: those that a reorg disconnects are sent again unchanged. */
  const sent = new Map<string, Hex>()
  /** The state before each of the last blocks. */
  let bases: Hex[] = []
  let forks = 0

  const send = async (
    to: Address,
    value: bigint,
    { nonce, gwei = 10n }: { nonce?: number; gwei?: bigint },
  ) => {
    const raw = await sender.signTransaction({
      chainId: client.chain.id,
      type: 'eip1559',
      to,
      value,
      gas: 21_000n,
      nonce: nonce ?? (await client.getTransactionCount({ address: sender.address, blockTag: 'pending' })),
      maxFeePerGas: gwei * 10n ** 9n,
      maxPriorityFeePerGas: gwei * 10n ** 9n,
    })
    const id = await client.sendRawTransaction({ serializedTransaction: raw })
    sent.set(id, raw)
    return id
  }
  const mineOne = async () => {
    bases = [...bases, await client.snapshot()].slice(-DEEPEST)
    await client.mine({ blocks: 1 })
  }
  return {
    rail: 'ethereum',
    rails: { ...rails, ethereum },
    env: {
      ETHEREUM_XPUB: demoAccount,
      ETHEREUM_CHAIN_ID: `${client.chain.id}`,
      ETHEREUM_RPC_URL: gateway.url,
    },
    pay: (address, gwei) => send(address as Address, gwei * 10n ** 9n, {}),
    async replace(id, options) {
      const { nonce, to, value } = await client.getTransaction({ hash: id as Hex })
      return options.with === 'payment'
        ? send(to!, value, { nonce, gwei: 100n })
        : send(sender.address, 0n, { nonce, gwei: 100n })
    },
    async mine(blocks = 1) {
      for (let made = 0; made < Math.min(blocks, DEEPEST); made += 1) await mineOne()
      if (blocks <= DEEPEST) return
      bases = []
      await client.mine({ blocks: blocks - DEEPEST })
    },
    async reorganise(depth) {
      const { number } = await client.getBlock()
      const freed: string[] = []
      for (let height = number - BigInt(depth) + 1n; height <= number; height += 1n)
        freed.push(...(await client.getBlock({ blockNumber: height })).transactions)
      await client.revert({ id: bases.at(-depth)! })
      bases = bases.slice(0, -depth)
      forks += 1
      // Another miner, so that no new block equals an old one.
      await client.setCoinbase({ address: `0x${forks.toString(16).padStart(40, '0')}` })
      for (let made = 0; made <= depth; made += 1) await mineOne()
      for (const id of freed) await client.sendRawTransaction({ serializedTransaction: sent.get(id)! })
    },
    setAway: gateway.setAway,
  }
}

/** A connection to a node that can be closed, as if the node were down. */
async function openGateway(target: string): Promise<{ url: string; setAway(isAway: boolean): void }> {
  const url = new URL(target)
  const far = { port: Number(url.port), host: url.hostname }
  const open = new Set<Socket>()
  let away = false
  const server = createServer(near => {
    if (away) return near.destroy()
    const link = [near, connect(far)] as const
    for (const [from, to] of [link, [...link].reverse()] as [Socket, Socket][]) {
      open.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of open) socket.destroy()
  }
  atEnd(() => {
    server.close()
    close()
  })
  url.hostname = '127.0.0.1'
  url.port = `${(server.address() as AddressInfo).port}`
  return {
    url: url.href.replace(/\/$/, ''),
    setAway(isAway) {
      away = isAway
      if (isAway) close()
    },
  }
}
