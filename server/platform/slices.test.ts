import { expect, test } from 'vitest'
import { mapInSlices } from './slices.ts'

/** Computes for longer than a slice. */
function compute(): void {
  const end = performance.now() + 3
  while (performance.now() < end);
}

/** Counts the turns of the event loop until it is stopped. */
function turns() {
  const counter = { count: 0, isOver: false }
  const next = () => {
    counter.count++
    if (!counter.isOver) setImmediate(next)
  }
  setImmediate(next)
  return counter
}

test('items are mapped in their order, and an empty list to nothing', async () => {
  const items = Array.from({ length: 10_000 }, (_, n) => n)
  expect(await mapInSlices(items, (item, place) => item + place)).toEqual(items.map(n => 2 * n))
  expect(await mapInSlices([], () => 1)).toEqual([])
})

test('the event loop turns after each slice', async () => {
  const counter = turns()
  const seen = await mapInSlices([1, 2, 3, 4, 5], () => {
    compute()
    return counter.count
  })
  counter.isOver = true
  expect(new Set(seen).size).toBe(5)
})

test('two lists take turns, and never both in one turn of the event loop', async () => {
  const counter = turns()
  const begun: [string, number][] = []
  const list = (name: string) =>
    mapInSlices([1, 2, 3], () => {
      begun.push([name, counter.count])
      compute()
    })
  await Promise.all([list('a'), list('b')])
  counter.isOver = true
  expect(begun.map(([name]) => name)).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  expect(new Set(begun.map(([, turn]) => turn)).size).toBe(6)
})

test('an item that fails ends its own list only', async () => {
  const failing = mapInSlices([1, 2], () => {
    throw new Error('no such item')
  })
  const other = mapInSlices([1, 2], n => n)
  await expect(failing).rejects.toThrow('no such item')
  expect(await other).toEqual([1, 2])
})
