import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { type Chain, ChainError, type Watched } from '#server/rails/chain.ts'
import {
  type Answer,
  startTronGrid,
  type TronGrid,
  tronTransaction,
  tronWallet,
} from '#test/support/tron-grid.ts'
import { tronAddress, tronHash } from './addresses.ts'
import { rawTransaction, tronTransfer } from './transaction.ts'
import { tronChain } from './trongrid.ts'

const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const otherToken = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
const payer = someAddress('payer')

let grid: TronGrid
let chain: Chain
beforeEach(async () => {
  grid = await startTronGrid(usdt)
  chain = chainAt(grid.url)
})

test('[D-16] USDT arrives exactly, with its block, its time and its sender', async () => {
  const to = someAddress('deposit')
  // More than a JSON number holds exactly.
  const payment = tronTransaction([{ from: payer, to, units: 9_007_199_254_740_993n }])
  const block = grid.add(payment)
  const at = { height: block.number, hash: block.id, time: new Date(block.timestamp) }
  expect(await chain.tip()).toEqual({ ...at, parentHash: block.parent })
  expect(await scanLast(1, [to])).toEqual({
    blocks: [{ ...at, parentHash: block.parent }],
    transfers: [
      {
        transactionId: payment.id,
        position: 1,
        address: to,
        token: 'USDT',
        units: 9_007_199_254_740_993n,
        from: [payer],
        block: at,
      },
    ],
    spends: [],
  })
})

test('deposits of one block or one transaction keep their places', async () => {
  const [first, second] = [someAddress('first'), someAddress('second')]
  const single = tronTransaction([{ from: payer, to: first, units: 1n }])
  const several = tronTransaction([
    { contract: otherToken, from: payer, to: first, units: 5n },
    { from: payer, to: first, units: 2n },
    { from: payer, to: someAddress('stranger'), units: 3n },
    { from: payer, to: second, units: 4n },
  ])
  grid.add(single, several)
  grid.add()
  grid.add(tronTransaction([{ from: payer, to: second, units: 6n }]))
  const { blocks, transfers } = await scanLast(3, [first, second])
  expect(blocks).toHaveLength(3)
  expect(
    transfers.map(({ transactionId, position, address, units }) => [transactionId, position, address, units]),
  ).toEqual([
    [single.id, 1, first, 1n],
    [several.id, 2, first, 2n],
    [several.id, 4, second, 4n],
    [expect.any(String), 1, second, 6n],
  ])
})

test('[D-16] TRX that arrives is reported as what it is', async () => {
  const to = someAddress('deposit')
  const payment = tronTransaction([{ from: payer, to, units: 5_000_000n }], 'TRX')
  grid.add(payment, tronTransaction([{ from: payer, to: someAddress('stranger'), units: 1n }], 'TRX'))
  expect((await scanLast(1, [to])).transfers).toMatchObject([
    { transactionId: payment.id, position: 0, address: to, token: 'TRX', units: 5_000_000n, from: [payer] },
  ])
})

test('failed transfers, other tokens, zero and internal transfers are ignored', async () => {
  const to = someAddress('deposit')
  const paid = { from: payer, to, units: 7n }
  grid.add(
    tronTransaction([paid], 'REVERT'),
    tronTransaction([paid], 'OUT_OF_ENERGY'),
    tronTransaction([{ ...paid, from: to }], 'TRX'),
    tronTransaction([{ ...paid, contract: otherToken }]),
    tronTransaction([{ ...paid, units: 0n }]),
    tronTransaction([{ ...paid, from: to }]),
  )
  expect((await scanLast(1, [to])).transfers).toEqual([])
  // Nor if a node reports events of a failed call.
  const { number } = grid.add(tronTransaction([paid]), tronTransaction([paid]))
  const [first, second] = grid.infos(number) as [object, object]
  const infos = [
    { ...first, result: 'FAILED' },
    { ...second, receipt: { result: 'OUT_OF_ENERGY' } },
  ]
  grid.instead = ({ path }) => (path.endsWith('infobyblocknum') ? { body: JSON.stringify(infos) } : undefined)
  expect((await scanLast(1, [to])).transfers).toEqual([])
})

test('[S-04] whatever a sender signs uses its slot, failed and of any kind', async () => {
  const to = someAddress('stranger')
  const made = [
    tronTransaction([{ from: payer, to, units: 1n }]),
    tronTransaction([{ from: payer, to, units: 1n }], 'REVERT'),
    tronTransaction([{ from: payer, to, units: 1n }], 'TRX'),
  ]
  // Of other kinds, some of which name no account.
  const others = [
    {
      type: 'FreezeBalanceV2Contract',
      parameter: { value: { owner_address: wire(payer), frozen_balance: 1 } },
    },
    { type: 'ShieldedTransferContract', parameter: { value: { binding_signature: '00' } } },
    { type: 'UnknownContract' },
  ].map(contract => ({ ...tronTransaction([{ from: to, to: payer, units: 1n }], 'TRX'), contract }))
  const block = grid.add(...made, ...others)
  const height = block.number
  const watched = { ...watch([]), senders: new Set([payer]) }
  const { spends } = await chain.scan({ from: height, to: height }, watched)
  const at = { height, hash: block.id, time: new Date(block.timestamp) }
  expect(spends).toEqual(
    [...made, others[0]!].map(({ id }) => ({ slot: id, sender: payer, transactionId: id, block: at })),
  )
})

test('when blocks are replaced, the transfer is the same one in another block', async () => {
  const to = someAddress('deposit')
  const payment = tronTransaction([{ from: payer, to, units: 7n }])
  for (const depth of [1, 2, 3, 4, 5, 6]) {
    grid.add(payment)
    for (let more = 1; more < depth; more += 1) grid.add()
    const before = await scanLast(depth, [to])
    grid.fork(depth)
    grid.add()
    const { id } = grid.add(payment)
    for (let more = 1; more < depth; more += 1) grid.add()
    const after = await scanLast(depth + 1, [to])
    const [{ block, ...same }] = before.transfers as [(typeof before.transfers)[0]]
    expect(after.transfers).toEqual([{ ...same, block: expect.objectContaining({ hash: id }) }])
    expect(block!.hash).not.toBe(id)
    expect((await chain.blockAt(block!.height))!.hash).not.toBe(block!.hash)
    grid.fork(depth + 1)
  }
})

test('a chain that changes between two requests is an error', async () => {
  const to = someAddress('deposit')
  const payment = tronTransaction([{ from: payer, to, units: 7n }])
  const scan = () => scanLast(2, [to])
  const changed = (path: string) => {
    grid.add(payment)
    const { number } = grid.add(payment)
    grid.instead = request => {
      if (request.path !== path || `${request.body.num ?? request.body.id_or_num}` !== `${number}`)
        return undefined
      grid.instead = () => undefined
      grid.fork(2)
      for (let more = 0; more < 2; more += 1) grid.add(tronTransaction([{ from: payer, to, units: 8n }]))
      return undefined
    }
  }
  changed('/wallet/getblock')
  await expect(scan()).rejects.toThrow(/^the chain changed below block/)
  changed('/wallet/gettransactioninfobyblocknum')
  await expect(scan()).rejects.toThrow(/^what became of block \d+ is not of that block$/)
  expect((await scan()).transfers.map(({ units }) => units)).toEqual([8n, 8n])
})

test('a late, partial, repeated or foreign block receipt is an error', async () => {
  const to = someAddress('deposit')
  const { number } = grid.add(
    tronTransaction([{ from: payer, to, units: 7n }]),
    tronTransaction([{ from: payer, to, units: 8n }]),
  )
  const [first, second] = grid.infos(number) as [object, object]
  for (const infos of [
    [],
    [first],
    [first, first],
    [first, second, second],
    [first, { ...second, blockNumber: number + 1 }],
    [first, second, { ...second, id: '0'.repeat(64) }],
  ]) {
    grid.instead = ({ path }) =>
      path.endsWith('infobyblocknum') ? { body: JSON.stringify(infos) } : undefined
    await expect(scanLast(1, [to])).rejects.toThrow(/is not of that block$/)
  }
  grid.instead = ({ path }) =>
    path.endsWith('infobyblocknum') ? { body: JSON.stringify([second, first]) } : undefined
  expect((await scanLast(1, [to])).transfers.map(({ units }) => units)).toEqual([8n, 7n])
})

test('a service that refuses says how long to wait', async () => {
  const errorWith = async (answer: Answer) => {
    grid.instead = () => answer
    const error = await chain.tip().catch(reason => reason)
    expect(error).toBeInstanceOf(ChainError)
    const { message, waitMs } = error as ChainError
    return `${message.replace(/^.*?: /, '')}, ${waitMs}`
  }
  const exceeded = (seconds: number) =>
    JSON.stringify({
      Success: false,
      Error: `The key exceeds the frequency limit(15), and the query server is suspended for ${seconds}s`,
      StatusCode: 403,
    })
  expect(await errorWith({ status: 403, body: exceeded(30) })).toBe('HTTP 403, 30000')
  expect(await errorWith({ status: 403, body: exceeded(5) })).toBe('HTTP 403, 5000')
  expect(await errorWith({ status: 403, body: '' })).toBe('HTTP 403, 30000')
  expect(await errorWith({ status: 429, body: '', headers: { 'retry-after': '2' } })).toBe('HTTP 429, 2000')
  expect(await errorWith({ status: 503, body: '<html>' })).toBe('HTTP 503, undefined')
})

test('an undocumented answer is an error', async () => {
  const { number } = grid.add(tronTransaction([{ from: payer, to: payer, units: 1n }]))
  for (const body of [
    '',
    '<html>Welcome</html>',
    'null',
    '7',
    '[]',
    '{"blockID":"00"}',
    '{"Error":"class java.lang.Exception : no"}',
  ]) {
    grid.instead = ({ path }) => (path === '/wallet/triggerconstantcontract' ? undefined : { body })
    for (const ask of [
      () => chain.tip(),
      () => chain.blockAt(number),
      () => chain.scan({ from: number, to: number }, watch([])),
    ])
      await expect(ask(), body).rejects.toThrow(ChainError)
  }
})

test('a service that is away is an error', async () => {
  await chain.tip()
  grid.stop()
  await expect(chain.tip()).rejects.toThrow(new ChainError('/wallet/getblock: it cannot be reached'))
})

test('a network without the contract, or where it counts otherwise, is not believed', async () => {
  for (const [decimals, words] of [
    [undefined, 'there is no USDT at its contract on this network'],
    [18n, 'USDT has 18 decimals there'],
  ] as const) {
    grid.contract.decimals = decimals
    await expect(chain.tip()).rejects.toThrow(new ChainError(words))
    await expect(chain.balances([payer])).rejects.toThrow(new ChainError(words))
  }
  grid.contract.decimals = 6n
  expect(await chain.tip()).toMatchObject({ height: grid.tip.number })
})

test('[K-02] ten thousand watched addresses cost two requests a block, as one does', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => someAddress(`deposit ${index}`))
  for (let more = 0; more < 5; more += 1)
    grid.add(tronTransaction([{ from: payer, to: many[more * 2000]!, units: 7n }]))
  await chain.tip()
  const before = grid.asked.length
  expect((await scanLast(5, many)).transfers).toHaveLength(5)
  // And one for the tip.
  expect(grid.asked.length - before).toBe(2 * 5 + 1)
})

test('the key of TronGrid is shown to it where there is one', async () => {
  const apiKey = '0a1b2c3d-0000-4000-8000-000000000000'
  await chainAt(grid.url, apiKey).tip()
  expect(grid.asked.every(({ headers }) => headers['tron-pro-api-key'] === apiKey)).toBe(true)
  grid.asked.length = 0
  await chain.tip()
  expect(grid.asked.some(({ headers }) => 'tron-pro-api-key' in headers)).toBe(false)
})

test('[S-04] a broadcast is accepted once and again, and refused in words', async () => {
  const wallet = tronWallet.address
  const transfer = (from: string, hash = grid.tip.id) =>
    tronTransfer({
      contract: usdt,
      from,
      to: someAddress('recipient'),
      units: 5n,
      reference: { height: grid.tip.number, hash },
      createdAt: new Date(grid.tip.timestamp),
      expiresAt: new Date(grid.tip.timestamp + 60_000),
    })
  const rawOf = async (unsigned: ReturnType<typeof transfer>) => {
    const { raw_data_hex, signature } = await tronWallet.sign(unsigned)
    return rawTransaction(raw_data_hex, signature)
  }
  const paying = transfer(wallet)
  const raw = await rawOf(paying)
  expect(await chain.broadcast(raw)).toEqual({ refused: null })
  const { id } = grid.add()
  const { spends } = await chain.scan(
    { from: grid.tip.number, to: grid.tip.number },
    { ...watch([]), senders: new Set([wallet]) },
  )
  expect(spends).toMatchObject([{ slot: paying.txID, sender: wallet, block: { hash: id } }])
  expect(await chain.broadcast(raw)).toEqual({ refused: null })
  expect(await chain.broadcast(await rawOf(transfer(payer)))).toEqual({
    refused: expect.stringMatching(/^SIGERROR/),
  })
  expect(await chain.broadcast(await rawOf(transfer(wallet, 'f'.repeat(64))))).toEqual({
    refused: expect.stringMatching(/^TAPOS_ERROR/),
  })
  for (const code of ['SERVER_BUSY', 'NO_CONNECTION']) {
    grid.instead = ({ path }) =>
      path.endsWith('broadcasthex')
        ? { body: JSON.stringify({ result: false, code, message: 'no' }) }
        : undefined
    await expect(chain.broadcast(raw)).rejects.toThrow(new ChainError(`/wallet/broadcasthex: ${code}: no`))
  }
  expect(await chain.fees()).toEqual({ price: 100n, tip: null })
})

test('balances are summed; nothing is pending; above the tip there is nothing', async () => {
  const [first, second, third] = ['first', 'second', 'third'].map(someAddress) as [string, string, string]
  grid.add(
    tronTransaction([{ from: payer, to: first, units: 3n }]),
    tronTransaction([{ from: payer, to: second, units: 4n }]),
    tronTransaction([{ from: payer, to: third, units: 5n }]),
  )
  expect(Object.fromEntries(await chain.balances([first, second, someAddress('empty')]))).toEqual({
    USDT: 7n,
  })
  expect(await chain.pending(watch([first]))).toEqual({ transfers: [], spends: [] })
  const { number } = grid.tip
  expect(await chain.blockAt(number + 1)).toBeUndefined()
  await expect(chain.scan({ from: number, to: number + 1 }, watch([]))).rejects.toThrow(ChainError)
})

/** As a node writes it. */
function wire(address: string): string {
  return `41${Buffer.from(tronHash(address)).toString('hex')}`
}

function chainAt(url: string, apiKey?: string): Chain {
  return tronChain({ url, apiKey, contract: usdt, confirmations: 20, requestsPerSecond: 100_000 })
}

function someAddress(name: string): string {
  return tronAddress(createHash('sha256').update(name).digest().subarray(0, 20))
}

function watch(addresses: readonly string[]): Watched {
  return { addresses: new Set(addresses), outpoints: new Set(), senders: new Set() }
}

async function scanLast(blocks: number, addresses: readonly string[]) {
  const { height } = await chain.tip()
  return chain.scan({ from: height - blocks + 1, to: height }, watch(addresses))
}
