import { type Like, ListedWords } from './listed-words.ts'
import { readingsOf, wordsOf } from './words.ts'

/** A name of a list; `of` says whose. */
export type IndexedName<Of> = { name: string; of: Of }

/** @property score 0 to 1, how alike the names are */
export type NameMatch<Of> = IndexedName<Of> & { score: number }

/** From this score on, a person compares the two. Chosen on test/screening/pairs/tuning.tsv. */
export const MATCH_FROM = 0.86
/** How much it counts that the longer name has words that the shorter one lacks. */
const LONGER = 0.12
/** The bit of what is like two words written as one; positions of words have the others. */
const JOINED = 1 << 31

/** A word of the name that is looked for, or two that may be written as one; `at` has a bit for each word that it stands for. */
type Unit = { at: number; isInitial: boolean; isJoined: boolean; like: Like }
/** A name that is looked for: its units, and of each word how much it tells. */
type Asked = { units: readonly Unit[]; weights: readonly number[] }

/**
 * Names of lists, to find those that a person may bear. A name is compared with those alone that share a word with it, or one that sounds
 * or looks like it: of 100,000 entries, some hundreds.
 */
export class NameIndex<Of> {
  readonly #names: readonly IndexedName<Of>[]
  readonly #words: ListedWords
  /**
   * The names that have word `w`, from `#postingStarts[w]` on: of each its number, how many other units it has, and their words. So what a
   * search reads most lies together.
   */
  readonly #postingStarts: Int32Array
  readonly #postings: Int32Array
  /** The units of name `n` are those from `#starts[n]` on: their words, and the bits of the words they stand for. */
  readonly #starts: Int32Array
  readonly #unitWords: Int32Array
  readonly #unitBits: Int32Array
  /** Of each name: weights of its words, one after the other, from `#weightStarts[n]` on. */
  readonly #weightStarts: Int32Array
  readonly #weights: Float32Array
  /** The last search that found each name. */
  readonly #seen: Uint32Array
  #search = 0
  /** Of each word of the lists, while a search runs: bits of the words that it is like, and one bit if there are any. */
  readonly #likes: Int32Array
  readonly #isLike: Uint32Array
  readonly #pairs = new Pairs()

  constructor(names: readonly IndexedName<Of>[]) {
    this.#names = names
    const read = names.map(({ name }) => readingsOf(wordsOf(name)))
    const units = read.flat()
    this.#words = new ListedWords(read)
    this.#seen = new Uint32Array(names.length)
    this.#likes = new Int32Array(this.#words.size)
    this.#starts = starts(read.map(({ length }) => length))
    this.#unitWords = Int32Array.from(units, ({ text }) => this.#words.id(text))
    this.#unitBits = Int32Array.from(units, ({ at }) => at)
    this.#weightStarts = starts(read.map(of => of.filter(({ isWord }) => isWord).length))
    const ids = this.#unitWords.filter((_, n) => units[n]!.isWord)
    this.#weights = Float32Array.from(ids, id => this.#words.weight(id))
    this.#isLike = new Uint32Array((this.#words.size + 31) >>> 5)
    const { postingStarts, postings } = this.#post()
    this.#postingStarts = postingStarts
    this.#postings = postings
  }

  /** The names that may be this one, the most alike first. */
  search(name: string): NameMatch<Of>[] {
    const weights: number[] = []
    const units: Unit[] = []
    for (const reading of readingsOf(wordsOf(name))) {
      const like = this.#words.like(reading)
      if (reading.isWord) weights.push(like.weight)
      units.push({ at: reading.at, isInitial: reading.text.length === 1, isJoined: reading.isJoined, like })
    }
    try {
      this.#mark(units)
      return this.#matches({ units, weights })
    } finally {
      for (const { like } of units) {
        for (const id of like.ids) {
          this.#likes[id] = 0
          this.#isLike[id >>> 5] = 0
        }
      }
    }
  }

  #post(): { postingStarts: Int32Array; postings: Int32Array } {
    const lengths = new Int32Array(this.#words.size)
    for (let name = 0; name < this.#names.length; name += 1) {
      const words = this.#wordsOf(name)
      for (const word of words) lengths[word]! += words.length + 1
    }
    const postingStarts = starts(lengths)
    const next = postingStarts.slice()
    const postings = new Int32Array(postingStarts.at(-1)!)
    for (let name = 0; name < this.#names.length; name += 1) {
      const words = this.#wordsOf(name)
      for (const [unit, word] of words.entries()) {
        postings[next[word]!++] = name
        postings[next[word]!++] = words.length - 1
        for (const [n, other] of words.entries()) if (n !== unit) postings[next[word]!++] = other
      }
    }
    return { postingStarts, postings }
  }

  #wordsOf(name: number): Int32Array {
    return this.#unitWords.subarray(this.#starts[name], this.#starts[name + 1])
  }

  #mark(units: readonly Unit[]): void {
    for (const { at, isJoined, like } of units) {
      const mark = isJoined ? JOINED : at
      for (const id of like.ids) {
        this.#likes[id]! |= mark
        this.#isLike[id >>> 5]! |= 1 << (id & 31)
      }
    }
  }

  #matches(asked: Asked): NameMatch<Of>[] {
    const found: NameMatch<Of>[] = []
    for (const n of this.#candidates(asked)) {
      const score = this.#score(n, asked)
      if (score >= MATCH_FROM) found.push({ ...this.#names[n]!, score })
    }
    return found.sort((one, other) => other.score - one.score)
  }

  /**
   * Names that are like this one in two words, or in its only one. Initials alone make no match, so each is beside another word; two words
   * that are written as one need no other. Of two words the rarer one is looked up.
   */
  #candidates({ units, weights }: Asked): number[] {
    this.#search += 1
    const found: number[] = []
    if (weights.length < 2) {
      for (const { like } of units) this.#addNames(like, 0, found)
      return found
    }
    const rarest = units.toSorted((one, other) => rank(one) - rank(other))
    for (const [place, { at, isInitial, isJoined, like }] of rarest.entries()) {
      if (isInitial) break
      if (isJoined) this.#addNames(like, 0, found)
      else if (rarest.some((other, n) => n > place && !other.isJoined && other.at !== at)) {
        this.#addNames(like, ~(at | JOINED), found)
      }
    }
    return found
  }

  /** The names of these words that were not found yet, and have a word like one of those at `beside`, if that is not 0. */
  #addNames({ ids }: Like, beside: number, found: number[]): void {
    const [starts, postings, seen, search] = [this.#postingStarts, this.#postings, this.#seen, this.#search]
    for (const id of ids) {
      const end = starts[id + 1]!
      for (let at = starts[id]!; at < end; at += postings[at + 1]! + 2) {
        if (beside !== 0 && !this.#hasOtherLike(at)) continue
        const name = postings[at]!
        if (seen[name] === search || (beside !== 0 && !this.#hasLike(name, beside))) continue
        seen[name] = search
        found.push(name)
      }
    }
  }

  /** True of a posting with another unit that is like any word; most have none. */
  #hasOtherLike(posting: number): boolean {
    const [postings, isLike] = [this.#postings, this.#isLike]
    const end = posting + postings[posting + 1]! + 2
    for (let at = posting + 2; at < end; at += 1) {
      const word = postings[at]!
      if ((isLike[word >>> 5]! & (1 << (word & 31))) !== 0) return true
    }
    return false
  }

  #hasLike(name: number, at: number): boolean {
    const end = this.#starts[name + 1]!
    for (let unit = this.#starts[name]!; unit < end; unit += 1) {
      if ((this.#likes[this.#unitWords[unit]!]! & at) !== 0) return true
    }
    return false
  }

  /**
   * The part of the shorter name that the longer one has, by the weight of the words; a little less if the longer one has others. One word
   * in common is not enough, unless a name has no other.
   */
  #score(name: number, { units, weights }: Asked): number {
    this.#pair(name, units)
    const [from, to] = [this.#weightStarts[name]!, this.#weightStarts[name + 1]!]
    const used = { mine: 0, theirs: 0 }
    const shared = { mine: 0, theirs: 0 }
    const { pairs, count } = this.#pairs
    for (let n = 0; n < count; n += 1) {
      const { mine, theirs, alike } = pairs[n]!
      if ((used.mine & mine) !== 0 || (used.theirs & theirs) !== 0) continue
      used.mine |= mine
      used.theirs |= theirs
      shared.mine += alike * weightOf(weights, mine, 0)
      shared.theirs += alike * weightOf(this.#weights, theirs, from)
    }
    if (bits(used.mine) < Math.min(2, weights.length) || bits(used.theirs) < Math.min(2, to - from)) return 0
    const mine = shared.mine / sum(weights, 0, weights.length)
    const its = shared.theirs / sum(this.#weights, from, to)
    return Math.max(mine, its) * (1 - LONGER) + Math.min(mine, its) * LONGER
  }

  /** Pairs the words of a listed name with those that they are like. */
  #pair(name: number, units: readonly Unit[]): void {
    this.#pairs.count = 0
    const end = this.#starts[name + 1]!
    for (let unit = this.#starts[name]!; unit < end; unit += 1) {
      const word = this.#unitWords[unit]!
      const likes = this.#likes[word]!
      if (likes === 0) continue
      for (const { at, isJoined, like } of units) {
        if ((likes & (isJoined ? JOINED : at)) === 0) continue
        const n = placeIn(like.ids, word)
        if (n !== undefined) this.#pairs.add(at, this.#unitBits[unit]!, like.alike[n]!)
      }
    }
  }
}

type Pair = { mine: number; theirs: number; alike: number }

/** Pairs of words, the most alike first, then those of more words; kept from search to search, so that none is made anew. */
class Pairs {
  readonly pairs: Pair[] = []
  count = 0

  add(mine: number, theirs: number, alike: number): void {
    const pair = this.pairs[this.count] ?? { mine, theirs, alike }
    Object.assign(pair, { mine, theirs, alike })
    let place = this.count
    for (; place > 0 && isBefore(pair, this.pairs[place - 1]!); place -= 1) {
      this.pairs[place] = this.pairs[place - 1]!
    }
    this.pairs[place] = pair
    this.count += 1
  }
}

function isBefore(one: Pair, other: Pair): boolean {
  if (one.alike !== other.alike) return one.alike > other.alike
  return bits(one.mine) + bits(one.theirs) > bits(other.mine) + bits(other.theirs)
}

/** Where each of parts of these lengths begins, and the end. */
function starts(lengths: ArrayLike<number>): Int32Array {
  const found = new Int32Array(lengths.length + 1)
  for (let n = 0; n < lengths.length; n += 1) found[n + 1] = found[n]! + lengths[n]!
  return found
}

/** Where a number is among ascending ones. */
function placeIn(ids: Int32Array, id: number): number | undefined {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ids[middle]! < id) from = middle + 1
    else to = middle
  }
  return ids[from] === id ? from : undefined
}

/** Initials are the commonest. */
function rank({ isInitial, like }: Unit): number {
  return isInitial ? Number.POSITIVE_INFINITY : like.count
}

type Weights = readonly number[] | Float32Array

function sum(weights: Weights, from: number, to: number): number {
  let all = 0
  for (let n = from; n < to; n += 1) all += weights[n]!
  return all
}

/** The weight of the words with these bits, the first of which is at `from`. */
function weightOf(weights: Weights, at: number, from: number): number {
  let all = 0
  for (let left = at; left !== 0; left &= left - 1) all += weights[from + 31 - Math.clz32(left & -left)]!
  return all
}

function bits(at: number): number {
  let count = 0
  for (let left = at; left !== 0; left &= left - 1) count += 1
  return count
}
