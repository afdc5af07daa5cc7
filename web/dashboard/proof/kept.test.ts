import { expect, test } from 'vitest'
import { keep, kept } from './kept.ts'

/** What a device remembers when two of its pages check at once. */

function memory() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  }
}

const seen = (size: number) => ({ vkey: 'key', checkpoint: `log\n${size}\nroot\n` })
const receipt = (note: string) => ({ vkey: 'key', note })
const today = '2026-11-24'

test('a check that ends late does not replace a longer log', () => {
  const device = memory()
  keep(device, { seen: seen(20), receipts: [] }, { asked: [], today })
  keep(device, { seen: seen(9), receipts: [] }, { asked: [], today })
  expect(kept(device).seen).toEqual(seen(20))
  keep(device, { seen: seen(21), receipts: [] }, { asked: [], today })
  expect(kept(device).seen).toEqual(seen(21))
})

test('receipts that another page has got stay, and those that were kept leave', () => {
  const device = memory()
  keep(device, { seen: seen(9), receipts: [receipt('a')] }, { asked: [], today })
  const asked = kept(device).receipts
  keep(device, { seen: seen(9), receipts: [receipt('a'), receipt('b')] }, { asked, today })
  // This one began with the first alone, found its line in the log, and got a third.
  keep(device, { seen: seen(10), receipts: [receipt('c')] }, { asked, today })
  expect(kept(device).receipts).toEqual([receipt('b'), receipt('c')])
})

test('what another program has written there is as nothing', () => {
  const device = memory()
  device.setItem('proof', '{')
  expect(kept(device)).toEqual({ seen: undefined, receipts: [], day: undefined })
})
