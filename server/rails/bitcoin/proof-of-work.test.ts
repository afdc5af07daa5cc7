import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { listening } from '#test/support/listening.ts'
import { scriptOfAddress } from './addresses.ts'
import { esploraChain } from './esplora.ts'
import { bitcoinNetworks } from './networks.ts'
import { requireSameWork, requireWork } from './proof-of-work.ts'
import type { Header } from './wire.ts'

const { work } = bitcoinNetworks.main

/** Block 800,000 of the main network, of July 2023. */
const header: Header = {
  hash: '00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a054',
  parentHash: '',
  merkleRoot: '',
  time: new Date(0),
  bits: 0x17_05_38_94,
}

test('a main-net block proves the work that its header claims, above our minimum', () => {
  requireWork(header, work)
  const above = `0000000000000000000${'6'.repeat(45)}`
  expect(() => requireWork({ ...header, hash: above }, work)).toThrow('shows no proof of work')
  // Difficulty 1; and compact forms of no target at all.
  expect(() => requireWork({ ...header, bits: 0x1d_00_ff_ff }, work)).toThrow('asks for too little work')
  for (const bits of [0, 0x17_85_38_94, 0x02_00_00_01]) {
    expect(() => requireWork({ ...header, bits }, work)).toThrow('shows no proof of work')
  }
  requireWork({ ...header, bits: 0x20_7f_ff_ff }, bitcoinNetworks.regtest.work)
})

test('difficulty stays the same, but every 2016 blocks it may fall to a quarter', () => {
  const easier = { ...header, bits: 0x17_0a_71_28 }
  requireSameWork(header, 800_001, header)
  expect(() => requireSameWork(easier, 800_001, header)).toThrow('another work than the block before it')
  requireSameWork(easier, 397 * 2016, header)
  const tooEasy = { ...header, bits: 0x17_1a_00_00 }
  expect(() => requireSameWork(tooEasy, 397 * 2016, header)).toThrow('another work than the block before it')
})

test('a backend cannot make up a block of the main network that cost it nothing', async () => {
  const address = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'
  const script = Buffer.from(scriptOfAddress(address, bitcoinNetworks.main)!)
  const block = madeUp(script)
  const id = reversed(twiceHashed(block.subarray(0, 80))).toString('hex')
  const url = await listening((request, response) => {
    const path = request.url!
    if (path === '/block-height/0') return void response.end(bitcoinNetworks.main.genesis[0])
    if (path.startsWith('/block-height/')) return void response.end(id)
    if (path === `/block/${id}/raw`) return void response.end(block)
    response.statusCode = 404
    response.end()
  })
  const chain = esploraChain(url, { network: bitcoinNetworks.main, confirmations: 2 })
  const watched = { addresses: new Set([address]), outpoints: new Set<string>(), senders: new Set<string>() }
  await expect(chain.scan({ from: 99, to: 99 }, watched)).rejects.toThrow('asks for too little work')
})

/** A block of difficulty 1 that pays 1000 BTC. */
function madeUp(script: Buffer): Buffer {
  const transaction = (input: Buffer, satoshi: bigint) => {
    const output = Buffer.concat([uint64(satoshi), Buffer.of(script.length), script])
    const body = [Buffer.of(1), input, Buffer.of(0), uint32(0xffff_ffff), Buffer.of(1), output]
    return Buffer.concat([uint32(2), ...body, uint32(0)])
  }
  const coinbase = transaction(Buffer.concat([Buffer.alloc(32), uint32(0xffff_ffff)]), 0n)
  const gift = transaction(Buffer.concat([Buffer.alloc(32, 7), uint32(0)]), 100_000_000_000n)
  const root = twiceHashed(Buffer.concat([twiceHashed(coinbase), twiceHashed(gift)]))
  const times = [uint32(1_790_000_000), uint32(0x1d_00_ff_ff), uint32(0)]
  return Buffer.concat([uint32(1), Buffer.alloc(32, 9), root, ...times, Buffer.of(2), coinbase, gift])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

function reversed(bytes: Buffer): Buffer {
  return Buffer.from(bytes).reverse()
}

function twiceHashed(bytes: Buffer): Buffer {
  return createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest()
}
