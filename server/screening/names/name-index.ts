import { likeness, type Sound, skeleton, soundOf } from './likeness.ts'
import { Neighbours } from './neighbours.ts'
import { areOthers, otherForms } from './nicknames.ts'
import { type NameWord, type NameWords, wordsOf } from './words.ts'

/** A name of a list; `of` says whose. */
export type IndexedName<Of> = { name: string; of: Of }

/** @property score 0 to 1, how alike the names are */
export type NameMatch<Of> = IndexedName<Of> & { score: number }

/** From this score on, a person compares the two. Chosen on test/screening/pairs/tuning.tsv. */
export const MATCH_FROM = 0.86
/** A familiar form, of a full one. */
const NICKNAME = 0.93
/** An initial, of a name that begins so. */
const INITIAL = 0.85
const INITIAL_WEIGHT = 0.3
/** The weight of a name that everyone bears, against 1 for one that the list has once. */
const LEAST_WEIGHT = 0.45
/** How much it counts that the longer name has words that the shorter one lacks. */
const LONGER = 0.12
/** Two words written as one are looked for by their consonants, if they have this many kinds of them: few words share those. */
const LONG_SKELETON = 3
/** Words that are remembered with what is like them; one more begins anew. */
const MOST_REMEMBERED = 200_000
/** Bits of names that are remembered: 256 MB. */
const MOST_BITS = 2 ** 31

/** A word of the lists, or neighbours written as one; `count` of names that have it as a word. */
type Word = { text: string; sound: Sound; count: number }

/**
 * Words of the lists, by their numbers, and how much each is like another word; `count` of their names, and a bit for each of these once
 * they were asked for.
 */
type Like = { ids: Int32Array; alike: Float32Array; count: number; names?: Uint32Array }
const nothing: Like = { ids: new Int32Array(0), alike: new Float32Array(0), count: 0 }

/** A word of a name, or two that may be written as one; `at` has a bit for each word that it stands for. */
type Unit = { at: number; isInitial: boolean; isJoined: boolean; like: Like }
type Pair = { mine: number; theirs: number; alike: number }

/**
 * Names of lists, to find those that a person may bear. A name is compared with those alone that share a word with it, or one that sounds
 * or looks like it: of 100,000 entries, some hundreds.
 */
export class NameIndex<Of> {
  readonly #names: readonly IndexedName<Of>[]
  readonly #ids = new Map<string, number>()
  readonly #words: Word[] = []
  /** Words by their consonants, and what is two words written as one. */
  readonly #bySkeleton = { words: new Map<string, number[]>(), joined: new Map<string, number[]>() }
  readonly #byFold = new Map<string, number[]>()
  readonly #byLetter = new Map<string, number[]>()
  readonly #neighbours: Neighbours
  readonly #remembered = new Map<string, Like>()
  /** The names that have word `w` are those from `#postingStarts[w]` on. */
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
  /** Those whose names' bits are remembered. */
  #withNames: Like[] = []

  constructor(names: readonly IndexedName<Of>[]) {
    this.#names = names
    const read = names.map(({ name }) => wordsOf(name))
    const postings: number[][] = []
    for (const [n, of] of read.entries()) this.#add(of, n, postings)
    this.#postingStarts = Int32Array.from(starts(postings.map(({ length }) => length)))
    this.#postings = Int32Array.from(postings.flat())
    for (const [id, { sound, count }] of this.#words.entries()) {
      push(this.#bySkeleton[count > 0 ? 'words' : 'joined'], skeleton(sound.fold), id)
    }
    this.#neighbours = new Neighbours(this.#words.map(({ text, count }) => (count > 0 ? text : '')))
    this.#seen = new Uint32Array(names.length)
    this.#starts = Int32Array.from(starts(read.map(({ words, others }) => words.length + others.length)))
    this.#weightStarts = Int32Array.from(starts(read.map(({ words }) => words.length)))
    this.#unitWords = Int32Array.from(read.flatMap(of => unitsOf(of).map(({ text }) => this.#ids.get(text)!)))
    this.#unitBits = Int32Array.from(read.flatMap(of => unitsOf(of).map(({ at }) => at)))
    this.#weights = Float32Array.from(
      read.flatMap(({ words }) => words.map(({ text }) => this.#weight(text))),
    )
  }

  /** The names that may be this one, the most alike first. */
  search(name: string): NameMatch<Of>[] {
    const of = wordsOf(name)
    const weights = of.words.map(({ text }) => this.#weight(text))
    const units = unitsOf(of).map(unit => ({
      at: unit.at,
      isInitial: unit.text.length === 1,
      isJoined: unit.isJoined,
      like: this.#like(unit),
    }))
    const found: NameMatch<Of>[] = []
    for (const n of this.#candidates(units, weights.length)) {
      const score = this.#score(n, { units, weights })
      if (score >= MATCH_FROM) found.push({ ...this.#names[n]!, score })
    }
    return found.sort((one, other) => other.score - one.score)
  }

  #add(of: NameWords, name: number, postings: number[][]): void {
    for (const unit of unitsOf(of)) {
      const id = this.#idOf(unit)
      const names = postings[id]
      if (names === undefined) postings[id] = [name]
      else if (names.at(-1) !== name) names.push(name)
    }
    for (const { text } of of.words) this.#words[this.#ids.get(text)!]!.count += 1
  }

  #idOf({ text, unwritten }: NameWord): number {
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    const id = this.#words.length
    const sound = soundOf(text, unwritten)
    this.#ids.set(text, id)
    this.#words.push({ text, sound, count: 0 })
    push(this.#byLetter, text[0]!, id)
    push(this.#byFold, sound.fold, id)
    return id
  }

  /** A name that many bear tells less. */
  #weight(word: string): number {
    if (word.length === 1) return INITIAL_WEIGHT
    const id = this.#ids.get(word)
    const count = id === undefined ? 0 : this.#words[id]!.count
    if (count <= 1) return 1
    return Math.max(LEAST_WEIGHT, 1 - Math.log(count) / Math.log(Math.max(50, this.#names.length)))
  }

  /**
   * Names that are like this one in two words, or in its only one. Initials alone make no match, so each is beside another word; two words
   * that are written as one need no other. Of two words the rarer one is looked up.
   */
  #candidates(units: readonly Unit[], words: number): number[] {
    this.#search += 1
    const found: number[] = []
    if (words < 2) {
      for (const { like } of units) this.#addNames(like, [], found)
      return found
    }
    const rarest = units.toSorted((one, other) => rank(one) - rank(other))
    for (const [place, { at, isInitial, isJoined, like }] of rarest.entries()) {
      if (isInitial) break
      const beside = isJoined
        ? []
        : rarest.slice(place + 1).filter(other => !other.isJoined && other.at !== at)
      if (isJoined || beside.length > 0) {
        this.#addNames(
          like,
          beside.map(other => this.#namesLike(other.like)),
          found,
        )
      }
    }
    return found
  }

  /** The names of these words that were not found yet and are among those beside, if there are any. */
  #addNames({ ids }: Like, beside: readonly Uint32Array[], found: number[]): void {
    const [starts, postings, seen, search] = [this.#postingStarts, this.#postings, this.#seen, this.#search]
    for (const id of ids) {
      const end = starts[id + 1]!
      for (let at = starts[id]!; at < end; at += 1) {
        const name = postings[at]!
        if (seen[name] === search || (beside.length > 0 && !isIn(beside, name))) continue
        seen[name] = search
        found.push(name)
      }
    }
  }

  /** A bit for each name that has one of these words. */
  #namesLike(like: Like): Uint32Array {
    if (like.names) return like.names
    const names = new Uint32Array((this.#names.length + 31) >>> 5)
    for (const id of like.ids) {
      const end = this.#postingStarts[id + 1]!
      for (let at = this.#postingStarts[id]!; at < end; at += 1) {
        const name = this.#postings[at]!
        names[name >>> 5]! |= 1 << (name & 31)
      }
    }
    if ((this.#withNames.length + 1) * this.#names.length > MOST_BITS) {
      for (const other of this.#withNames) delete other.names
      this.#withNames = []
    }
    like.names = names
    this.#withNames.push(like)
    return names
  }

  /** The words of the lists that are like this one. Two that are written as one are hardly ever asked for again. */
  #like(unit: ReadUnit): Like {
    const { text } = unit
    const known = this.#remembered.get(text)
    if (known) return known
    const like = this.#alikeOf(this.#find(unit))
    if (unit.isJoined) return like
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(text, like)
    return like
  }

  #alikeOf(found: ReadonlyMap<number, number>): Like {
    if (found.size === 0) return nothing
    const ids = Int32Array.from(found.keys()).sort()
    const count = ids.reduce((all, id) => all + this.#postingStarts[id + 1]! - this.#postingStarts[id]!, 0)
    return { ids, alike: Float32Array.from(ids, id => found.get(id)!), count }
  }

  #find({ text, unwritten, isJoined }: ReadUnit): Map<number, number> {
    const found = new Map<number, number>()
    const raise = (id: number, alike: number) => {
      if (alike > (found.get(id) ?? 0)) found.set(id, alike)
    }
    if (text.length === 1) {
      for (const id of this.#byLetter.get(text) ?? []) raise(id, INITIAL)
      return found
    }
    const sound = soundOf(text, unwritten)
    const compare = (id: number) => {
      const alike = likeness(sound, this.#words[id]!.sound)
      if (alike > 0 && !areOthers(sound.fold, this.#words[id]!.sound.fold)) raise(id, alike)
    }
    const consonants = skeleton(sound.fold)
    if (!isJoined || consonants.length >= LONG_SKELETON) {
      for (const id of this.#bySkeleton.words.get(consonants) ?? []) compare(id)
    }
    if (isJoined) return found
    for (const id of this.#bySkeleton.joined.get(consonants) ?? []) compare(id)
    const initial = this.#ids.get(text[0]!)
    if (initial !== undefined) raise(initial, INITIAL)
    for (const id of this.#neighbours.of(text)) compare(id)
    for (const form of otherForms(sound.fold))
      for (const id of this.#byFold.get(form) ?? []) raise(id, NICKNAME)
    return found
  }

  /**
   * The part of the shorter name that the longer one has, by the weight of the words; a little less if the longer one has others. One word
   * in common is not enough, unless a name has no other.
   */
  #score(name: number, { units, weights }: { units: readonly Unit[]; weights: readonly number[] }): number {
    const pairs = this.#pairs(name, units)
    const from = this.#weightStarts[name]!
    const theirs = this.#weights.subarray(from, this.#weightStarts[name + 1]!)
    pairs.sort((a, b) => b.alike - a.alike || bits(b.mine) + bits(b.theirs) - bits(a.mine) - bits(a.theirs))
    const used = { mine: 0, theirs: 0 }
    const shared = { mine: 0, theirs: 0 }
    for (const pair of pairs) {
      if ((used.mine & pair.mine) !== 0 || (used.theirs & pair.theirs) !== 0) continue
      used.mine |= pair.mine
      used.theirs |= pair.theirs
      shared.mine += pair.alike * weightOf(weights, pair.mine)
      shared.theirs += pair.alike * weightOf(theirs, pair.theirs)
    }
    if (bits(used.mine) < Math.min(2, weights.length) || bits(used.theirs) < Math.min(2, theirs.length))
      return 0
    const mine = shared.mine / sum(weights)
    const its = shared.theirs / sum(theirs)
    return Math.max(mine, its) * (1 - LONGER) + Math.min(mine, its) * LONGER
  }

  #pairs(name: number, units: readonly Unit[]): Pair[] {
    const pairs: Pair[] = []
    for (let unit = this.#starts[name]!; unit < this.#starts[name + 1]!; unit += 1) {
      const word = this.#unitWords[unit]!
      for (const { at, like } of units) {
        const n = placeIn(like.ids, word)
        if (n !== undefined) pairs.push({ mine: at, theirs: this.#unitBits[unit]!, alike: like.alike[n]! })
      }
    }
    return pairs
  }
}

/** A word of a name, or another reading of words, with a bit for each one. */
type ReadUnit = NameWord & { at: number; isJoined: boolean }

function unitsOf({ words, others }: NameWords): ReadUnit[] {
  return [
    ...words.map((word, n) => ({ ...word, at: 1 << n, isJoined: false })),
    ...others.map(({ text, at }) => ({
      text,
      unwritten: at.some(n => words[n]!.unwritten),
      at: at.reduce((all, n) => all | (1 << n), 0),
      isJoined: at.length > 1,
    })),
  ]
}

/** Where each of parts of these lengths begins, and the end. */
function starts(lengths: readonly number[]): number[] {
  let at = 0
  return [0, ...lengths.map(length => (at += length))]
}

function push(map: Map<string, number[]>, key: string, id: number): void {
  const ids = map.get(key)
  if (ids) ids.push(id)
  else map.set(key, [id])
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

/** True of a name that has its bit in one of these. */
function isIn(sets: readonly Uint32Array[], name: number): boolean {
  for (const set of sets) if ((set[name >>> 5]! & (1 << (name & 31))) !== 0) return true
  return false
}

type Weights = readonly number[] | Float32Array

function sum(weights: Weights): number {
  let all = 0
  for (const weight of weights) all += weight
  return all
}

function weightOf(weights: Weights, at: number): number {
  let all = 0
  for (let n = 0; n < weights.length; n += 1) if ((at & (1 << n)) !== 0) all += weights[n]!
  return all
}

function bits(at: number): number {
  let count = 0
  for (let left = at; left !== 0; left &= left - 1) count += 1
  return count
}
