import { expect, test } from 'vitest'
import { failingSince, forgetFailed, keep, keepFailed, kept, keptFailed } from './kept.ts'

/** What a device remembers when two of its pages check at once. */

function memory() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

const seen = (size: number) => ({ vkey: 'key', checkpoint: `log\n${size}\nroot\n` })
const receipt = (note: string) => ({ vkey: 'key', note })
test('a check that ends late does not replace a longer log', () => {
  const device = memory()
  keep(device, { seen: seen(20), receipts: [] }, [])
  keep(device, { seen: seen(9), receipts: [] }, [])
  expect(kept(device).seen).toEqual(seen(20))
  keep(device, { seen: seen(21), receipts: [] }, [])
  expect(kept(device).seen).toEqual(seen(21))
})

test('receipts that another page has got stay, and those that were kept leave', () => {
  const device = memory()
  keep(device, { seen: seen(9), receipts: [receipt('a')] }, [])
  const asked = kept(device).receipts
  keep(device, { seen: seen(9), receipts: [receipt('a'), receipt('b')] }, asked)
  // This one began with the first alone, found its line in the log, and got a third.
  keep(device, { seen: seen(10), receipts: [receipt('c')] }, asked)
  expect(kept(device).receipts).toEqual([receipt('b'), receipt('c')])
})

test('what another program has written there is damaged', () => {
  const device = memory()
  device.setItem('proof', '{')
  expect(kept(device)).toEqual({ seen: undefined, receipts: [], isDamaged: true })
})

test('days without a check count from the first that failed, until one holds', () => {
  const device = memory()
  expect(failingSince(device, '2026-11-20')).toBe('2026-11-20')
  expect(failingSince(device, '2026-11-24')).toBe('2026-11-20')
  keep(device, { seen: seen(9), receipts: [] }, [])
  expect(failingSince(device, '2026-11-25')).toBe('2026-11-25')
})

test('the lines of an investor are kept apart from the log that all see', () => {
  const device = memory()
  const lines = { owner: 'ann', newest: {} }
  keep(device, { seen: { ...seen(9), lines }, receipts: [] }, [])
  expect(kept(device).seen).toEqual({ ...seen(9), lines })
  expect(device.getItem('proof')).toBe(JSON.stringify(seen(9)))
})

test('the first failure stays until it is put aside; late books give way to any other', () => {
  const device = memory()
  const failed = (step: 'recent' | 'continuation' | 'signature' | 'lines', day = '2026-11-20') => ({
    day,
    step,
  })
  keepFailed(device, 'ann', failed('recent'))
  keepFailed(device, 'ann', failed('continuation'))
  keepFailed(device, 'ann', failed('recent', '2026-11-21'))
  keepFailed(device, 'ann', failed('signature'))
  expect(keptFailed(device, 'ann')).toEqual(failed('continuation'))
  forgetFailed(device, 'ann', 'signature')
  expect(keptFailed(device, 'ann')).toEqual(failed('continuation'))
  forgetFailed(device, 'ann')
  expect(keptFailed(device, 'ann')).toBeUndefined()
})

test('what failed for one account is not shown to another on the same device', () => {
  const device = memory()
  const failed = { day: '2026-11-20', step: 'lines' } as const
  keepFailed(device, 'ann', failed)
  expect(keptFailed(device, 'bob')).toBeUndefined()
  forgetFailed(device, 'bob')
  expect(keptFailed(device, 'ann')).toEqual(failed)
  expect(device.getItem('proof-failed')).toBeNull()
})

test('a store that takes nothing changes no outcome', () => {
  const full = {
    ...memory(),
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  }
  keepFailed(full, 'ann', { day: '2026-11-20', step: 'total' })
  keep(full, { seen: seen(9), receipts: [] }, [])
  expect(failingSince(full, '2026-11-20')).toBe('2026-11-20')
})
