import pg from 'pg'
import { expect, test } from 'vitest'
import { waitingForFiles } from '#shared/download.ts'
import { inBatchTurn, inPdfTurn, takeConnection } from './file-turns.ts'

/** Never connects: turns are kept for each pool. */
const poolOf = (max = 20) => new pg.Pool({ max })
const busy = { code: 'not_ready', reason: waitingForFiles, retryAfterSeconds: 3 }

/** Work that ends when it is told to. */
function work() {
  const begun: (() => void)[] = []
  return { begun, run: () => new Promise<void>(resolve => begun.push(resolve)) }
}

test.each([
  ['batches', inBatchTurn, 2, 100],
  ['PDFs', inPdfTurn, 2, 10],
])('few %s are made at once, others wait, and too many are refused', async (_, inTurn, atOnce, waiting) => {
  const pool = poolOf()
  const { begun, run } = work()
  const all = Array.from({ length: atOnce + waiting }, () => inTurn(pool, run))
  expect(begun).toHaveLength(atOnce)
  await expect(inTurn(pool, run)).rejects.toMatchObject(busy)
  // Another pool has its own turns.
  expect(await inTurn(poolOf(), async () => 'made')).toBe('made')
  for (let ended = 0; ended < all.length; ended++) {
    await expect.poll(() => begun.length).toBeGreaterThan(ended)
    begun[ended]!()
  }
  await Promise.all(all)
  expect(await inTurn(pool, async () => 'made')).toBe('made')
})

test('an export waits for a connection, and gets the first that is free', async () => {
  const pool = poolOf()
  const held = await Promise.all(Array.from({ length: 4 }, () => takeConnection(pool)))
  const order: number[] = []
  const waiting = [1, 2].map(n =>
    takeConnection(pool).then(release => {
      order.push(n)
      return release
    }),
  )
  held[0]!()
  const first = await waiting[0]!
  expect(order).toEqual([1])
  first()
  await waiting[1]
  expect(order).toEqual([1, 2])
})

test('an export that gets no connection in time, or cannot even wait, is refused', async () => {
  const pool = poolOf(4)
  const held = await Promise.all([takeConnection(pool), takeConnection(pool)])
  const waiting = Array.from({ length: 10 }, () => takeConnection(pool, 50))
  await expect(takeConnection(pool, 60_000)).rejects.toMatchObject(busy)
  for (const one of waiting) await expect(one).rejects.toMatchObject(busy)
  held[0]!()
  // Those that gave up took none.
  await takeConnection(pool)
})
