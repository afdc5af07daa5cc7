import { expect, test } from 'vitest'
import { eventReader, reconnectDelay } from './live-events.ts'

test('[L-01] events are parsed however they are split', () => {
  const text =
    'event: open\ndata: {}\n\n:\n\nevent: changed\ndata: {"topics":["deposits","notifications"]}\n\n:\n\n'
  const words = [
    { kind: 'open' },
    { kind: 'alive' },
    { kind: 'changed', topics: ['deposits', 'notifications'] },
    { kind: 'alive' },
  ]
  for (const size of [1, 2, 3, 7, 40, text.length]) {
    const read = eventReader()
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!
    expect(pieces.flatMap(read)).toEqual(words)
  }
})

test('unknown events count as heartbeats', () => {
  expect(eventReader()('event: later\ndata: {"something":"new"}\n\nid: 7\n\n')).toEqual([
    { kind: 'alive' },
    { kind: 'alive' },
  ])
})

test('[L-03] reconnects back off with jitter, up to a minute', () => {
  const longest = Array.from({ length: 10 }, (_, failures) => reconnectDelay(failures, 0, 1))
  expect(longest).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map(seconds => seconds * 1000))
  expect(reconnectDelay(0, 0, 0)).toBe(500)
  expect(reconnectDelay(9, 0, 0)).toBe(30_000)
  expect(reconnectDelay(0, 30_000, 0)).toBe(30_000)
  expect(reconnectDelay(0, 30_000, 1)).toBeGreaterThan(30_000)
})
