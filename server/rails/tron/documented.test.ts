import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import { type Asked, startTronGrid, type TronGrid } from '#test/support/tron-grid.ts'
import { tronChain } from './trongrid.ts'

/**
 * Answers as in TRON's documentation, byte by byte (test/support/tron-documented, with sources). No documentation shows
 * one block with both its transactions and their results, so when one of the two is replayed, the other is adapted.
 */

const folder = join(import.meta.dirname, '../../../test/support/tron-documented')
const documented = (name: string) => readFileSync(join(folder, `${name}.txt`), 'utf8')

const mainNet = tronNetwork({ testNetwork: false }).contract
const nile = tronNetwork({ testNetwork: true }).contract
let grid: TronGrid
beforeEach(async () => {
  grid = await startTronGrid(mainNet)
})

type Answers = {
  block?: string
  infos?: string
  balance?: string
}
/**
 * A service with these answers only.
 * @returns its requests
 */
function replay({ block, infos, balance }: Answers): Asked[] {
  grid.asked.length = 0
  const answers: Record<string, string | undefined> = {
    '/wallet/getblock': block,
    '/wallet/gettransactioninfobyblocknum': infos,
  }
  grid.instead = ({ path, body }) => {
    const isBalance = body.function_selector === 'balanceOf(address)'
    const answer = path === '/wallet/triggerconstantcontract' ? called(isBalance, balance) : answers[path]
    return answer === undefined ? { status: 404, body: '' } : { body: answer }
  }
  return grid.asked
}
/** USDT's decimals are requested first: the same answer with another word. */
const called = (isBalance: boolean, balance: string | undefined) =>
  isBalance
    ? balance
    : documented('triggerconstantcontract.tronprotocol').replace('40cfcc00', '6'.padStart(8, '0'))

function chainAt(contract = mainNet): Chain {
  return tronChain({ url: grid.url, apiKey: undefined, contract, confirmations: 20, requestsPerSecond: 1e5 })
}
const scan = (number: number, ...addresses: string[]) =>
  chainAt().scan(
    { from: number, to: number },
    { addresses: new Set(addresses), outpoints: new Set(), senders: new Set() },
  )

type Block = {
  blockID: string
  block_header: { raw_data: { number: number } }
  transactions: { txID: string }[]
}
/** The documented block with that number and these transactions. */
function blockWith(number: number, ids: string[]): string {
  const block = JSON.parse(documented('getblock.getblock-io')) as Block
  const [transaction] = block.transactions
  block.blockID = number.toString(16).padStart(16, '0') + block.blockID.slice(16)
  block.block_header.raw_data.number = number
  block.transactions = ids.map(txID => ({ ...transaction!, txID }))
  return JSON.stringify(block)
}
const idsIn = (infos: string) => (JSON.parse(infos) as { id: string }[]).map(({ id }) => id)

test('[K-02] the newest block', async () => {
  const asked = replay({ block: documented('getnowblock.getblock-io') })
  expect(await chainAt().tip()).toEqual({
    height: 47_964_392,
    hash: '0000000002dbe0e890dddd5df8bb75251f386daee6e5b7a6cf777d493e5d894c',
    parentHash: '0000000002dbe0e7cfc367b39b54d4a53beda9b70a493a724561cad264f38e37',
    time: new Date('2023-01-23T16:43:39Z'),
  })
  expect(asked.at(-1)).toMatchObject({ path: '/wallet/getblock', body: { detail: false } })
})

test('[K-02] a block is requested as documented; a missing block is recognised', async () => {
  const asked = replay({ block: documented('getblock.tronprotocol') })
  expect(await chainAt().blockAt(66_987_565)).toEqual({
    height: 66_987_565,
    hash: '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e',
    parentHash: '0000000003fe262c85cd6b02033f4c3e5c1efa35de256a17bd906dc61fb1aeed',
    time: new Date('2026-04-29T06:45:21Z'),
  })
  expect(asked.at(-1)!.body).toEqual({ id_or_num: '66987565', detail: false })
  replay({ block: '{}' })
  expect(await chainAt().blockAt(66_987_565)).toBeUndefined()
})

test('[D-16, K-02] a transfer of USDT in what became of a block’s transactions', async () => {
  const infos = documented('gettransactioninfobyblocknum.getblock-io')
  const asked = replay({ block: blockWith(30_864_600, idsIn(infos)), infos })
  const to = 'TBA6CypYJizwA9XdC7Ubgc5F1bxrQ7SqPt'
  const { transfers } = await scan(30_864_600, to)
  expect(transfers).toEqual([
    {
      transactionId: '0af79242191c6728b79e858a36a4b5c65e4e52b9fcee4dc5af30eac57b6d0953',
      position: 1,
      address: to,
      token: 'USDT',
      units: 532_079_999n,
      from: ['TWpZXLfsvVuQuJZLkdWNY7XY2teePqPpz7'],
      block: expect.objectContaining({ height: 30_864_600 }),
    },
  ])
  expect(asked.find(({ path }) => path === '/wallet/gettransactioninfobyblocknum')!.body).toEqual({
    num: 30_864_600,
  })
})

test('[D-16] a call that ran out of energy moves nothing, whatever it was to move', async () => {
  const succeeded = documented('transaction-info.succeeded.aiotx')
  const failed = documented('transaction-info.failed.aiotx').replace('66860010', '66861993')
  const infos = `[${succeeded},${failed}]`
  replay({ block: blockWith(66_861_993, idsIn(infos)), infos })
  const { transfers } = await scan(66_861_993, 'TUikLT3nTTjTkXPAuC4xUGj84vfSERCWRn')
  expect(transfers.map(({ transactionId, units }) => [transactionId, units])).toEqual([
    ['b69c51db8f9d974e6a38c76852c8ce1adcb682dbacb25ad8ad4f6876121fe9dc', 3_500_000n],
  ])
})

test('[D-16] a TRX payment is reported as such, and an empty block holds none', async () => {
  const block = documented('getblock.getblock-io')
  const [txID] = (JSON.parse(block) as Block).transactions.map(transaction => transaction.txID)
  const [info] = JSON.parse(documented('gettransactioninfobyblocknum.tronprotocol')) as object[]
  const infos = JSON.stringify([{ ...info, id: txID, blockNumber: 30_864_544 }])
  const asked = replay({ block, infos })
  // A recipient of TRX in it.
  const { blocks, transfers } = await scan(30_864_544, 'TJ4eV1hnVAiFmeArBsuL6GkgTGVnWBe7eV')
  expect(blocks).toEqual([
    {
      height: 30_864_544,
      hash: '0000000001d6f4a09f60c27befccff6fe3cc593b2d6c46cdc79d3fd4f55db859',
      parentHash: '0000000001d6f49f615231bdeeddd8b563c746188d5e270a58afc87b059f29de',
      time: new Date('2021-06-07T08:52:03Z'),
    },
  ])
  expect(transfers).toMatchObject([{ transactionId: txID, position: 0, token: 'TRX' }])
  expect(asked.find(({ path }) => path === '/wallet/getblock')!.body).toEqual({
    id_or_num: '30864544',
    detail: true,
  })
  replay({ block: documented('getblock.tronprotocol'), infos: '[]' })
  expect(await scan(66_987_565)).toMatchObject({ blocks: [{ height: 66_987_565 }], transfers: [] })
})

test('a block of which the documentation leaves out what it holds is not believed', async () => {
  replay({
    block: documented('getblock.tronprotocol'),
    infos: documented('gettransactioninfobyblocknum.tronprotocol'),
  })
  await expect(scan(66_987_565)).rejects.toThrow(
    new ChainError('what became of block 66987565 is not of that block'),
  )
})

test('[K-02] a USDT balance is requested as documented', async () => {
  const balance = documented('triggerconstantcontract.tronprotocol')
  const asked = replay({ balance })
  const owner = 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp'
  expect(await chainAt(nile).balances([owner])).toEqual(new Map([['USDT', 1_087_360_000n]]))
  expect(asked.at(-1)).toMatchObject({
    path: '/wallet/triggerconstantcontract',
    body: {
      contract_address: '41eca9bc828a3005b9a3b909f2cc5c2a54794de05f',
      function_selector: 'balanceOf(address)',
      parameter: '000000000000000000000000dd791d6b49e190062d650e6a23c575510d35f2f9',
    },
  })
})

test('a node that cannot do what it is asked, and a service that was asked too often', async () => {
  replay({ block: documented('error.tronprotocol') })
  await expect(chainAt().blockAt(1)).rejects.toThrow(
    new ChainError('/wallet/getblock: id must be legal block hash.'),
  )
  for (const [status, name] of [
    [403, 'rate-limited.v1.trongrid'],
    [403, 'rate-limited.node.trongrid'],
    [503, 'rate-limited.node.trongrid'],
  ] as const) {
    grid.instead = () => ({ status, body: documented(name) })
    const error: unknown = await chainAt()
      .tip()
      .catch(reason => reason)
    expect(error, name).toBeInstanceOf(ChainError)
    expect(error, name).toMatchObject({ waitMs: 30_000 })
  }
})
