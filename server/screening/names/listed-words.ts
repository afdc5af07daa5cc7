import { folded, Sounds, skeleton, soundOf } from './likeness.ts'
import { Neighbours } from './neighbours.ts'
import { areOthers, hasOtherForms, otherForms } from './nicknames.ts'
import type { Reading } from './words.ts'

/** A familiar form, of a full one. */
const NICKNAME = 0.93
/** An initial, of a name that begins so. */
const INITIAL = 0.85
const INITIAL_WEIGHT = 0.3
/** The weight of a name that everyone bears, against 1 for one that the list has once. */
const LEAST_WEIGHT = 0.45
/** Two words written as one are looked for by their consonants, if they have this many kinds of them: few words share those. */
const LONG_SKELETON = 3
/** Words that are remembered with what is like them; one more begins anew. */
const MOST_REMEMBERED = 200_000

/** Words of the lists, by their ascending numbers, and how much each is like another word; `count` of their names. */
export type Like = { ids: Int32Array; alike: Float32Array; count: number }
const nothing: Like = { ids: new Int32Array(0), alike: new Float32Array(0), count: 0 }

/** Of a word that was asked for: how much it tells, and what is like it. */
type Known = Like & { weight: number }

/** A word of the lists: `count` of names that have it as a word, `names` of all that have it, also as two written as one. */
type Listed = { text: string; fold: string; unwritten: boolean; count: number; names: number }

/**
 * The words of the lists' names, and neighbours that may be written as one. Words with the same consonants have numbers that follow each
 * other, so that comparing with all of them reads one piece of memory.
 */
export class ListedWords {
  readonly #ids = new Map<string, number>()
  readonly #sounds: Sounds
  readonly #weights: Float32Array
  /** Names that have each word, also as two written as one. */
  readonly #names: Int32Array
  /** Of each skeleton the first of its words, then of those that are two words written as one, and the end. */
  readonly #bySkeleton = new Map<string, { words: number; joined: number; end: number }>()
  /** Words that may have other forms. */
  readonly #byFold = new Map<string, number[]>()
  readonly #byLetter = new Map<string, number[]>()
  readonly #neighbours: Neighbours
  readonly #remembered = new Map<string, Known>()

  constructor(names: readonly (readonly Reading[])[]) {
    const words = this.#ordered(wordsIn(names))
    this.#sounds = new Sounds(words)
    this.#names = Int32Array.from(words, word => word.names)
    this.#weights = Float32Array.from(words, ({ text, count }) =>
      text.length === 1 ? INITIAL_WEIGHT : weightOf(count, names.length),
    )
    this.#neighbours = new Neighbours(words.map(({ text, count }) => (count > 0 ? text : '')))
    for (const [id, { text, fold }] of words.entries()) {
      this.#ids.set(text, id)
      push(this.#byLetter, text[0]!, id)
      if (hasOtherForms(fold)) push(this.#byFold, fold, id)
    }
  }

  get size(): number {
    return this.#weights.length
  }

  /** The number of a word that the lists have. */
  id(text: string): number {
    return this.#ids.get(text)!
  }

  weight(id: number): number {
    return this.#weights[id]!
  }

  /** The words of the lists that are like this one. Two that are written as one are hardly ever asked for again. */
  like(reading: Reading): Known {
    const { text, isJoined } = reading
    const known = this.#remembered.get(text)
    if (known) return known
    const id = this.#ids.get(text)
    const weight = id !== undefined ? this.#weights[id]! : text.length === 1 ? INITIAL_WEIGHT : 1
    const like = { ...this.#counted(this.#find(reading)), weight }
    if (isJoined) return like
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(text, like)
    return like
  }

  /** Orders the words by their skeletons; of each the words first. */
  #ordered(words: Iterable<Listed>): Listed[] {
    const ordered: Listed[] = []
    const groups = Map.groupBy(words, ({ fold }) => skeleton(fold))
    for (const [key, group] of groups) {
      const first = ordered.length
      for (const word of group) if (word.count > 0) ordered.push(word)
      const joined = ordered.length
      for (const word of group) if (word.count === 0) ordered.push(word)
      this.#bySkeleton.set(key, { words: first, joined, end: ordered.length })
    }
    return ordered
  }

  #counted(found: ReadonlyMap<number, number>): Like {
    if (found.size === 0) return nothing
    const ids = Int32Array.from(found.keys()).sort()
    let count = 0
    for (const id of ids) count += this.#names[id]!
    return { ids, alike: Float32Array.from(ids, id => found.get(id)!), count }
  }

  #find({ text, unwritten, isJoined }: Reading): ReadonlyMap<number, number> {
    const found = new Map<number, number>()
    const raise = (id: number, alike: number) => {
      if (alike > (found.get(id) ?? 0)) found.set(id, alike)
    }
    if (text.length === 1) {
      for (const id of this.#byLetter.get(text) ?? []) raise(id, INITIAL)
      return found
    }
    const fold = folded(text)
    const { from, end } = this.#withSkeleton(skeleton(fold), isJoined)
    if (isJoined && from === end) return found
    const sound = soundOf({ fold, unwritten })
    const compare = (id: number) => {
      const alike = this.#sounds.likeness(sound, id)
      if (alike > 0 && !areOthers(fold, this.#sounds.fold(id))) raise(id, alike)
    }
    for (let id = from; id < end; id += 1) compare(id)
    if (isJoined) return found
    const initial = this.#ids.get(text[0]!)
    if (initial !== undefined) raise(initial, INITIAL)
    this.#neighbours.of(text, compare)
    for (const form of otherForms(fold)) for (const id of this.#byFold.get(form) ?? []) raise(id, NICKNAME)
    return found
  }

  #withSkeleton(consonants: string, isJoined: boolean): { from: number; end: number } {
    const group = this.#bySkeleton.get(consonants)
    if (group === undefined || (isJoined && consonants.length < LONG_SKELETON)) return { from: 0, end: 0 }
    return { from: group.words, end: isJoined ? group.joined : group.end }
  }
}

/** All words, each once. */
function wordsIn(names: readonly (readonly Reading[])[]): Iterable<Listed> {
  const found = new Map<string, Listed & { last: number }>()
  for (const [name, readings] of names.entries()) {
    for (const { text, unwritten, isWord } of readings) {
      let word = found.get(text)
      if (word === undefined) {
        word = { text, fold: folded(text), unwritten, count: 0, names: 0, last: -1 }
        found.set(text, word)
      }
      if (isWord) word.count += 1
      if (word.last !== name) word.names += 1
      word.last = name
    }
  }
  return found.values()
}

/** A name that many bear tells less. */
function weightOf(count: number, names: number): number {
  if (count <= 1) return 1
  return Math.max(LEAST_WEIGHT, 1 - Math.log(count) / Math.log(Math.max(50, names)))
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}
