import type { Pool } from 'pg'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { limited } from './limited.ts'
import { keepingSpan } from './tracing/tracing.ts'

export type Grouping<Item, Result> = {
  /** Most items in one group, groups under way at the same time, and items that wait for one. */
  most: number
  atOnce: number
  mostWaiting: number
  /** Items of failed groups that are done alone at the same time, beside the groups. */
  aloneAtOnce: number
  /** No two items of a group have a name in common: the second must find what became of the first. */
  namesOf: (item: Item) => readonly string[]
  /** The items of a group are in this order, so that groups of several processes wait for each other in no circle. */
  orderOf: (item: Item) => string
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
  readonly #alone: <T>(work: () => Promise<T>) => Promise<T>
  /** Names of items that are done alone: others with one of them wait. */
  readonly #held = new Set<string>()
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #isWoken = false

  constructor(grouping: Grouping<Item, Result>) {
    this.#of = grouping
    this.#alone = limited(grouping.aloneAtOnce, Number.POSITIVE_INFINITY)
  }

  /** @throws AppError not_ready if too many wait; whatever `run` throws for this item alone, or for all */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length + this.#held.size >= this.#of.mostWaiting) {
      const message = t('The server is busy. Please try again in a moment.')
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
      while (this.#underWay < this.#of.atOnce) {
        const group = this.#take()
        if (group.length === 0) return
        void this.#begin(group)
      }
    })
  }

  /** A free place's share of those who wait, so that the database works for one group while this process reads the answers of another. */
  #take(): Waiting<Item, Result>[] {
    const { most, atOnce, orderOf } = this.#of
    const share = Math.min(most, Math.ceil(this.#waiting.length / (atOnce - this.#underWay)))
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    const names = new Set(this.#held)
    for (const waiting of this.#waiting) {
      const isTaken = taken.length < share && !waiting.names.some(name => names.has(name))
      // An item that waits for one that waits itself keeps its turn.
      for (const name of waiting.names) names.add(name)
      if (isTaken) taken.push(waiting)
      else left.push(waiting)
    }
    this.#waiting = left
    return taken.sort((a, b) => compared(orderOf(a.item), orderOf(b.item)))
  }

  async #begin(group: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#underWay++
    try {
      const items = group.map(({ item }) => item)
      const results = await new Promise<readonly Result[]>((resolve, reject) => {
        group[0]!.within(() => void this.#of.run(items).then(resolve, reject))
      })
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!)
    } catch (error) {
      this.#fail(group, error)
    } finally {
      this.#underWay--
      this.#wake()
    }
  }

  #fail(group: readonly Waiting<Item, Result>[], error: unknown): void {
    const isSplit = this.#of.mayDifferAlone(error, group.length)
    for (const one of group) {
      if (!isSplit) one.reject(error)
      else one.within(() => void this.#doAlone(one))
    }
  }

  /** Outside of the groups' places, so that the next group waits only for what has a name in common. */
  async #doAlone({ item, names, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    for (const name of names) this.#held.add(name)
    await this.#alone(() => this.#of.runAlone(item)).then(resolve, reject)
    for (const name of names) this.#held.delete(name)
    this.#wake()
  }
}

/** By code points, as every process does, whatever its language. */
function compared(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
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
