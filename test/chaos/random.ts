/** A seeded generator (mulberry32): the same choices for the same seed. */
export type Random = {
  /** An integer from 0 on, below `limit`. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: items => items[below(items.length)]! }
}
