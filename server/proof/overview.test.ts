import { beforeAll, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { mostListedEpochs, proofOverview } from '#shared/contract/proof.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'

/** What the public proof says of itself to anybody, from the first transaction on. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const overview = () => world.call(proofOverview, null).then(({ data }) => data)

async function write(closeNow = false): Promise<void> {
  await sealBooks(world.services)
  await writeLog(world.services, { closeNow })
}

async function published(path: string): Promise<string> {
  const file = await proofFile(world.services.pool, path)
  return (await file!.read(0, file!.bytes)).toString()
}

test('before the first transaction there is nothing, and no end of an epoch', async () => {
  expect(await overview()).toEqual({
    epochHours: 24,
    isClosed: false,
    nextEndsAt: null,
    log: null,
    proven: null,
    stated: null,
    listed: [],
  })
})

test('before the first epoch has ended, it says when that ends', async () => {
  await world.fund(await world.person('Ann'), 100_00n)
  await write()
  const midnight = new Date(world.clock.now()).setUTCHours(24, 0, 0, 0)
  expect(await overview()).toMatchObject({ nextEndsAt: new Date(midnight).toISOString(), log: null })
})

test('an ended epoch shows with its checkpoint and what investors are owed', async () => {
  const ben = await world.person('Ben')
  await world.fund(ben, 300_05n)
  const body = { amount: 40, wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  await world.call(newWithdrawal, ben, { body })
  await write(true)
  const { log, listed } = await overview()
  const [origin, size, root] = log!.checkpoint.split('\n')
  expect(log).toMatchObject({
    replacedKeys: 0,
    epochs: 1,
    transactions: 3,
    size: 4,
    origin,
    root,
    treeLeaves: 4,
  })
  expect(size).toBe('4')
  expect([log!.checkpoint, `${log!.vkey}\n`]).toEqual([
    await published('checkpoint'),
    await published('vkey'),
  ])
  const day = world.clock.now().toISOString().slice(0, 10)
  expect(listed).toEqual([{ epoch: 1, day, transactions: 3, owed: 400.05, proven: null }])
})

test('what is in no ended epoch yet changes nothing', async () => {
  const before = await overview()
  await world.fund(await world.person('Cid'), 100_00n)
  await write()
  expect(await overview()).toEqual(before)
})

test('of many epochs the first, the latest and some between them are listed', async () => {
  for (let epochs = 1; epochs <= mostListedEpochs; epochs++) await write(true)
  const { log, listed } = await overview()
  expect(log!.epochs).toBe(mostListedEpochs + 1)
  expect(listed.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 51 }, (_, place) => 2 * place + 1))
  await write(true)
  const next = (await overview()).listed
  expect(next).toHaveLength(52)
  expect([next[0]?.epoch, next[1]?.epoch, next.at(-1)?.epoch]).toEqual([1, 2, 102])
})
