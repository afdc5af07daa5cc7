import type { Pool } from 'pg'
import { AppError } from '#shared/errors.ts'
import { keepingSpan } from './tracing/tracing.ts'

export type Grouping<Item, Result> = {
  /** Most items in one group, groups under way at the same time, and items that wait for one. */
  most: number
  atOnce: number
  mostWaiting: number
  /** No two items of a group have a name in common: the second must find what became of the first. */
  namesOf: (item: Item) => readonly string[]
  /** Does all or none, without waiting long for anything, and returns their results in order. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Does one for which a group could not wait, or whose group failed. */
  runAlone: (item: Item) => Promise<Result>
  /** True if an item of a group of this size that failed like this may succeed, or fail, alone. */
  mayDifferAlone: (error: unknown, size: number) => boolean
}

type Waiting<Item, Result> = {
  item: Item
  names: readonly string[]
  /** Runs work in the trace of the item. */
  within: (work: () => void) => void
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Group commit: what arrives while a group is under way becomes the next group, so that many callers share the price of one
 * transaction; a lone caller waits for nobody. A group's statements belong to the trace of its first item.
 */
export class Grouped<Item, Result> {
  readonly #of: Grouping<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #isWoken = false

  constructor(grouping: Grouping<Item, Result>) {
    this.#of = grouping
  }

  /** @throws AppError not_ready if too many wait; whatever `run` throws for this item alone, or for all */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#of.mostWaiting) {
      const message = 'The server is busy. Please try again in a moment.'
      return Promise.reject(new AppError('not_ready', message, { retryAfterSeconds: 2 }))
    }
    return new Promise((resolve, reject) => {
      const names = this.#of.namesOf(item)
      this.#waiting.push({ item, names, within: keepingSpan(work => work()), resolve, reject })
      this.#wake()
    })
  }

  /** Begins after everything that has just arrived was read, so that it goes together. */
  #wake(): void {
    if (this.#isWoken) return
    this.#isWoken = true
    setImmediate(() => {
      this.#isWoken = false
      while (this.#underWay < this.#of.atOnce && this.#waiting.length > 0) this.#begin(this.#take())
    })
  }

  /** A free place's share of those who wait, so that the database works for one group while this process reads the answers of another. */
  #take(): Waiting<Item, Result>[] {
    const { most, atOnce } = this.#of
    const share = Math.min(most, Math.ceil(this.#waiting.length / (atOnce - this.#underWay)))
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    const names = new Set<string>()
    for (const waiting of this.#waiting) {
      const isTaken = taken.length < share && !waiting.names.some(name => names.has(name))
      // An item that waits for one that waits itself keeps its turn.
      for (const name of waiting.names) names.add(name)
      if (isTaken) taken.push(waiting)
      else left.push(waiting)
    }
    this.#waiting = left
    return taken
  }

  #begin(group: readonly Waiting<Item, Result>[]): void {
    this.#underWay++
    group[0]!.within(() => {
      void this.#run(group).then(() => {
        this.#underWay--
        if (this.#waiting.length > 0) this.#wake()
      })
    })
  }

  async #run(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#of.run(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!)
    } catch (error) {
      const isSplit = this.#of.mayDifferAlone(error, group.length)
      for (const { item, within, resolve, reject } of group) {
        // Outside of the group's place: the next group waits for none of them.
        if (isSplit) within(() => void this.#of.runAlone(item).then(resolve, reject))
        else reject(error)
      }
    }
  }
}

/** One of a kind for each pool of a process. */
export function onePerPool<T>(make: (pool: Pool) => T): (pool: Pool) => T {
  const made = new WeakMap<Pool, T>()
  return pool => {
    const known = made.get(pool)
    if (known !== undefined) return known
    const fresh = make(pool)
    made.set(pool, fresh)
    return fresh
  }
}
