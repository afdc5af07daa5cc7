import { expect, test } from 'vitest'
import { waitBefore, wordReader } from './live-words.ts'

test('[L-01] words are read in whatever pieces they come', () => {
  const text =
    'event: open\ndata: {}\n\n:\n\nevent: changed\ndata: {"topics":["deposits","notifications"]}\n\n:\n\n'
  const words = [
    { kind: 'open' },
    { kind: 'alive' },
    { kind: 'changed', topics: ['deposits', 'notifications'] },
    { kind: 'alive' },
  ]
  for (const size of [1, 2, 3, 7, 40, text.length]) {
    const read = wordReader()
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!
    expect(pieces.flatMap(read)).toEqual(words)
  }
})

test('what the server says in words that this page does not know counts as a sign of life', () => {
  expect(wordReader()('event: later\ndata: {"something":"new"}\n\nid: 7\n\n')).toEqual([
    { kind: 'alive' },
    { kind: 'alive' },
  ])
})

test('[L-03] after each failure the stream is opened later, a minute later at most, and not by all at once', () => {
  const longest = Array.from({ length: 10 }, (_, failures) => waitBefore(failures, 0, 1))
  expect(longest).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map(seconds => seconds * 1000))
  expect(waitBefore(0, 0, 0)).toBe(500)
  expect(waitBefore(9, 0, 0)).toBe(30_000)
  expect(waitBefore(0, 30_000, 0)).toBe(30_000)
  expect(waitBefore(0, 30_000, 1)).toBeGreaterThan(30_000)
})
