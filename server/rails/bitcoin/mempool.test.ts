import { hexToBytes } from '@noble/hashes/utils.js'
import { expect, test, vi } from 'vitest'
import { ChainError, outpointOf } from '#server/rails/chain.ts'
import { addressOfScript } from './addresses.ts'
import { bitcoinChain } from './chain.ts'
import { mempool } from './mempool.ts'
import { bitcoinNetworks } from './networks.ts'
import { idOf } from './wire.ts'

const network = bitcoinNetworks.regtest

/** A transaction without witnesses that spends a foreign output and pays one key. */
function transactionOf(number: number) {
  // A palindrome, because ids are written in reverse.
  const half = number.toString(16).padStart(32, '0')
  const spent = half + Buffer.from(half, 'hex').reverse().toString('hex')
  const script = `0014${number.toString(16).padStart(40, '0')}`
  const hex = `02000000${'01'}${spent}00000000${'00'}fdffffff${'01'}e803000000000000${'16'}${script}00000000`
  const bytes = hexToBytes(hex)
  return { id: idOf(bytes), bytes, address: addressOfScript(hexToBytes(script), network)!, spent }
}

function poolOf(count: number) {
  const all = Array.from({ length: count }, (_, at) => transactionOf(at + 1))
  const present = new Map(all.map(transaction => [transaction.id, transaction]))
  const asked: string[] = []
  const source = {
    unconfirmed: vi.fn(async () => [...present.keys()]),
    transactions: async (ids: readonly string[]) => {
      asked.push(...ids)
      return ids.map(id => present.get(id)?.bytes)
    },
  }
  const rest = () => Promise.reject(new Error('not asked for here'))
  const others = { tip: rest, hashAt: rest, header: rest, block: rest }
  const whole = { ...others, unspent: rest, outputs: rest, broadcast: rest, feeRate: rest, ...source }
  return { all, present, asked, source, whole, pool: mempool(whole, network) }
}
const paying = (...addresses: string[]) => ({
  addresses: new Set(addresses),
  outpoints: new Set<string>(),
  senders: new Set<string>(),
})

test('[K-03] each transaction is read once while it is unconfirmed, whatever is watched', async () => {
  const { all, present, asked, pool } = poolOf(1000)
  const [first, second] = [all[500]!, all[700]!]
  const found = await pool.about(paying(first.address))
  expect(found).toMatchObject([
    { id: first.id, outputs: [{ satoshi: 1000n }], inputs: [outpointOf(all[500]!.spent, 0)] },
  ])
  // The one that concerns an address is read again in full.
  expect(asked).toHaveLength(1001)
  const added = transactionOf(5000)
  present.set(added.id, added)
  asked.length = 0
  expect((await pool.about(paying(second.address, added.address))).map(({ id }) => id)).toEqual([
    second.id,
    added.id,
  ])
  expect(asked).toEqual([added.id, second.id, added.id])
  asked.length = 0
  present.delete(second.id)
  expect((await pool.about(paying(second.address, added.address))).map(({ id }) => id)).toEqual([added.id])
  expect(asked).toEqual([])
})

test('[K-03] finds transactions by what they spend as well as by what they pay', async () => {
  const { all, pool } = poolOf(10)
  const outpoints = new Set([outpointOf(all[3]!.spent, 0)])
  expect(
    (await pool.about({ addresses: new Set(), outpoints, senders: new Set() })).map(({ id }) => id),
  ).toEqual([all[3]!.id])
})

test('[K-03] a crowded mempool is read over several syncs that drop nothing too early', async () => {
  const { all, asked, whole, pool } = poolOf(1000)
  const watched = paying(all[0]!.address, all[999]!.address)
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  // As if 200 of them took four seconds.
  const slow = whole.transactions
  whole.transactions = async ids => {
    now += ids.length * 20
    return slow(ids)
  }
  await expect(pool.about(watched)).rejects.toThrow(
    new ChainError('still reading the mempool: 600 of 1000 new transactions'),
  )
  expect((await pool.about(watched)).map(({ id }) => id)).toEqual([all[0]!.id, all[999]!.id])
  expect(asked).toHaveLength(1002)
  vi.restoreAllMocks()
})

test('[K-03] a transaction that leaves the pool while it is read is left out', async () => {
  const { all, present, whole, pool } = poolOf(3)
  const read = whole.transactions
  whole.transactions = async ids => {
    present.delete(all[1]!.id)
    return read(ids)
  }
  const found = await pool.about(paying(...all.map(({ address }) => address)))
  expect(found.map(({ id }) => id)).toEqual([all[0]!.id, all[2]!.id])
})

test('[K-03] another transaction than the requested one is an error', async () => {
  const { all, present, whole, pool } = poolOf(2)
  present.get(all[0]!.id)!.bytes = all[1]!.bytes
  await expect(pool.about(paying())).rejects.toThrow(
    `the node answered with another transaction than ${all[0]!.id}`,
  )
  // The same through the chain.
  const genesis = async () => network.genesis[0]
  const chain = bitcoinChain({ ...whole, hashAt: genesis }, { network, confirmations: 2 })
  await expect(chain.pending(paying())).rejects.toThrow(ChainError)
})

test('[K-03] more unconfirmed transactions than any node keeps are an error', async () => {
  const { source, pool } = poolOf(0)
  source.unconfirmed.mockResolvedValue(Array.from({ length: 600_001 }, () => ''))
  await expect(pool.about(paying())).rejects.toThrow('more than 600000 transactions are unconfirmed')
})
