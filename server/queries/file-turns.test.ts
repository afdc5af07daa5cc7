import pg from 'pg'
import { expect, test } from 'vitest'
import { waitingForFiles } from '#shared/download.ts'
import { beginFile, inBatchTurn, inPdfTurn, takeConnection } from './file-turns.ts'

/** Never connects: turns are kept for each pool. */
const poolOf = (max = 20) => new pg.Pool({ max })
const busy = { code: 'not_ready', reason: waitingForFiles, retryAfterSeconds: 3 }

/** Work that ends when it is told to. */
function work() {
  const begun: (() => void)[] = []
  return { begun, run: () => new Promise<void>(resolve => begun.push(resolve)) }
}

test('two PDFs are made at once, ten wait, and others are refused', async () => {
  const pool = poolOf()
  const { begun, run } = work()
  const all = Array.from({ length: 12 }, () => inPdfTurn(pool, run))
  expect(begun).toHaveLength(2)
  await expect(inPdfTurn(pool, run)).rejects.toMatchObject(busy)
  // Another pool has its own turns.
  expect(await inPdfTurn(poolOf(), async () => 'made')).toBe('made')
  await endInTurn(begun, all)
  expect(await inPdfTurn(pool, async () => 'made')).toBe('made')
})

test('one batch is written at a time; while many wait, no other file begins', async () => {
  const pool = poolOf()
  const { begun, run } = work()
  const all = Array.from({ length: 100 }, () => inBatchTurn(pool, run))
  expect(begun).toHaveLength(1)
  await expect(beginFile(pool)).rejects.toMatchObject(busy)
  await beginFile(poolOf())
  all.push(inBatchTurn(pool, run))
  await endInTurn(begun, all)
  await beginFile(pool)
})

async function endInTurn(begun: readonly (() => void)[], all: readonly Promise<void>[]): Promise<void> {
  for (let ended = 0; ended < all.length; ended++) {
    await expect.poll(() => begun.length).toBeGreaterThan(ended)
    begun[ended]!()
  }
  await Promise.all(all)
}

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
