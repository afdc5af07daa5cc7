/**
 * How alike two words of names sound and look, whatever language spelt them. Letters that one sound is written with cost little to
 * exchange, vowels little to add; a changed consonant costs a whole letter.
 */

const letters = 'abcdefghijklmnopqrstuvwxyzSCZXGJT'
const vowels = new Set('aeiou')

/** Groups of letters for one sound, in the order in which they are read. */
const sounds: readonly [RegExp, string][] = [
  [/shch|sch|sh|sz/g, 'S'],
  [/tsch|tch|ch/g, 'C'],
  [/dzh|dj|dsch/g, 'J'],
  [/zh/g, 'Z'],
  [/kh/g, 'X'],
  [/gh/g, 'G'],
  [/ph/g, 'f'],
  [/th/g, 't'],
  [/dh/g, 'd'],
  [/ck|cq|q/g, 'k'],
  [/ts|tz|cz/g, 'T'],
  [/x/g, 'ks'],
  [/[ao]u$/g, 'ov'],
  [/w/g, 'v'],
  [/c(?![eiy]|$)/g, 'k'],
  [/ou|oo/g, 'u'],
  [/ae/g, 'a'],
  [/oe/g, 'o'],
  [/(?<=..)ue(?=..)/g, 'u'],
  [/ee|iy|yi|ij|ii|yy|ey|ei|ay|ai/g, 'i'],
  [/[iyj]e/g, 'e'],
  [/[iy](?=[aou])/g, 'j'],
  [/y/g, 'i'],
  [/(.)\1+/g, '$1'],
]

/** A word with one letter for each sound. */
export function folded(word: string): string {
  return sounds.reduce((text, [group, letter]) => text.replace(group, letter), word)
}

// biome-ignore format: a table
const classes: Record<string, string> = {
  k: 'k', g: 'k', G: 'k', c: 's', s: 's', z: 's', S: 's', Z: 's', C: 's', T: 's', d: 't', t: 't', b: 'p', p: 'p', f: 'f', v: 'f',
  m: 'm', n: 'n', l: 'l', r: 'r',
}

/** The consonants of a folded word, by kind: what words that sound alike have in common. */
export function skeleton(fold: string): string {
  let found = ''
  for (const letter of fold) {
    const kind = classes[letter]
    if (kind !== undefined && !found.endsWith(kind)) found += kind
  }
  return found
}

/** Costs of exchanging two letters, in hundredths of a letter; others cost a whole one. */
// biome-ignore format: a table
const exchanges: readonly [string, number][] = [
  ['ae', 15], ['ou', 5], ['ei', 15], ['oa', 30], ['ai', 40], ['eo', 40], ['ui', 45], ['oi', 45], ['au', 45], ['eu', 45],
  ['ij', 15], ['ej', 40], ['uv', 30], ['ov', 40],
  ['kg', 35], ['kX', 25], ['Xh', 15], ['Gg', 10], ['Gh', 40], ['GX', 30], ['kG', 35], ['Gr', 60], ['gh', 50], ['kC', 40], ['XC', 30],
  ['ck', 20], ['cs', 25], ['cC', 15], ['cT', 10], ['cS', 30], ['cz', 40],
  ['sz', 25], ['sS', 30], ['SC', 35], ['sT', 35], ['zT', 35], ['TC', 35], ['zZ', 25], ['SZ', 40], ['sC', 50], ['zJ', 40],
  ['ZJ', 20], ['Jj', 15], ['Zj', 25], ['Jg', 35], ['jg', 40], ['Jd', 30], ['JC', 35], ['jh', 45], ['jX', 40],
  ['dt', 40], ['bp', 45], ['vf', 30], ['vb', 40], ['fp', 50], ['td', 40], ['mn', 70],
]

/** Numbers of letters by their character codes. */
const codes = new Uint8Array(128)
for (const [n, letter] of [...letters].entries()) codes[letter.charCodeAt(0)] = n
const code = (letter: string) => codes[letter.charCodeAt(0)]!
const SIZE = letters.length
const WHOLE = 100
const exchange = new Uint8Array(SIZE * SIZE).fill(WHOLE)
for (let one = 0; one < SIZE; one += 1) exchange[one * SIZE + one] = 0
for (const [[a, b], cost] of exchanges as readonly (readonly [string, number])[]) {
  exchange[code(a!) * SIZE + code(b!)] = cost
  exchange[code(b!) * SIZE + code(a!)] = cost
}

/** Costs of a letter that only one word has, inside it. */
const extra = Uint8Array.from(letters, letter =>
  vowels.has(letter) ? 30 : 'hj'.includes(letter) ? 20 : WHOLE,
)
const H = code('h')
/** A first letter carries more. */
const FIRST_H = 60
const SWAPPED = 45
/** Writing without vowels has none to compare. */
const UNWRITTEN = 3
const isUnwritten = Uint8Array.from(letters, letter => Number(vowels.has(letter) || letter === 'j'))

/** Letters that one word has and the other lacks: their codes from `from` on, and what each costs. */
type Letters = { codes: Uint8Array; extras: Uint8Array; from: number; length: number }

/** A word as it sounds. `unwritten`: its script writes no vowels; `men`: see `menOf`. */
export type Sound = { fold: string; letters: Letters; unwritten: boolean; men: readonly string[] }

/** A folded word, and whether its script writes no vowels. */
type Fold = { fold: string; unwritten: boolean }

export function soundOf({ fold, unwritten }: Fold): Sound {
  const letters = lettersOf([fold])
  return { fold, letters, unwritten: unwritten || isVowelless(fold), men: menOf(fold) }
}

function isVowelless(fold: string): boolean {
  return !/[aeiou]/.test(fold)
}

/** The letters of folded words, one word after the other. */
function lettersOf(folds: readonly string[]): Letters {
  const length = folds.reduce((all, fold) => all + fold.length, 0)
  const found = { codes: new Uint8Array(length), extras: new Uint8Array(length), from: 0, length }
  let place = 0
  for (const fold of folds) {
    for (let at = 0; at < fold.length; at += 1, place += 1) {
      const letter = codes[fold.charCodeAt(at)]!
      found.codes[place] = letter
      found.extras[place] = at === 0 && letter === H ? FIRST_H : extra[letter]!
    }
  }
  return found
}

const nobody: readonly string[] = []

/** The names whose woman's form a word may be: 'Ivana' of Ivan, 'Evgenia' of Evgenii, 'Maria' as 'Mario'. Family names are not told apart. */
function menOf(fold: string): readonly string[] {
  if (/..ja$/.test(fold)) return [fold.slice(0, -2), `${fold.slice(0, -2)}i`]
  const isWoman = /.{3}[ao]$/.test(fold) && !/(?:[oe]v|(?:[vn]s|n|[CST])k)[ao]$/.test(fold)
  return isWoman || /..[nlt]e$/.test(fold) ? [fold.slice(0, -1)] : nobody
}

/** Words less alike than this are other words. */
const WORD_FROM = 0.78

/** Words as they sound, by their numbers, their letters one word after the other: comparing with thousands of them reads little memory. */
export class Sounds {
  readonly #folds: readonly string[]
  readonly #men: readonly (readonly string[])[]
  readonly #starts: Int32Array
  readonly #letters: Letters
  readonly #unwritten: Uint8Array

  constructor(words: readonly Fold[]) {
    this.#folds = words.map(({ fold }) => fold)
    this.#men = this.#folds.map(menOf)
    this.#starts = new Int32Array(words.length + 1)
    for (const [id, { length }] of this.#folds.entries()) this.#starts[id + 1] = this.#starts[id]! + length
    this.#letters = lettersOf(this.#folds)
    this.#unwritten = Uint8Array.from(words, ({ fold, unwritten }) => Number(unwritten || isVowelless(fold)))
  }

  fold(id: number): string {
    return this.#folds[id]!
  }

  /** @returns from `WORD_FROM` to 1, for what sounds the same; 0 for other words */
  likeness(sound: Sound, id: number): number {
    const other = this.#letters
    other.from = this.#starts[id]!
    other.length = this.#starts[id + 1]! - other.from
    const length = Math.max(sound.letters.length, other.length)
    if (length === 0 || length > MOST) return 0
    const unwritten = sound.unwritten || this.#unwritten[id] === 1
    const most = (1 - WORD_FROM) * WHOLE * length
    const cost = unwritten
      ? distance(withoutVowels(sound.letters), withoutVowels(other), most)
      : distance(sound.letters, other, most)
    if (cost > most || (!unwritten && this.#areOfBothSexes(sound, id))) return 0
    return 1 - cost / (WHOLE * length)
  }

  /** A woman's name and a man's are alike, and never one person's. */
  #areOfBothSexes({ fold, men }: Sound, id: number): boolean {
    const [its, itsMen] = [this.#folds[id]!, this.#men[id]!]
    if (fold === its) return false
    return men.some(man => man === its || itsMen.includes(man)) || itsMen.includes(fold)
  }
}

/** Words have fewer letters. */
const MOST = 40
const rows = [new Uint16Array(MOST + 1), new Uint16Array(MOST + 1), new Uint16Array(MOST + 1)]

/** Damerau-Levenshtein with these costs; beyond `most`, any cost above it. */
function distance(one: Letters, other: Letters, most: number): number {
  const { codes, extras } = other
  const [width, from] = [other.length, other.from]
  let [last, before, row] = rows as [Uint16Array, Uint16Array, Uint16Array]
  let lowestBefore = 0
  before[0] = 0
  for (let j = 1; j <= width; j += 1) before[j] = before[j - 1]! + extras[from + j - 1]!
  for (let i = 1; i <= one.length; i += 1) {
    const letter = one.codes[one.from + i - 1]!
    const changes = letter * SIZE
    const drop = one.extras[one.from + i - 1]!
    row[0] = before[0]! + drop
    let lowest = row[0]!
    for (let j = 1; j <= width; j += 1) {
      const its = codes[from + j - 1]!
      let least = before[j - 1]! + exchange[changes + its]!
      if (before[j]! + drop < least) least = before[j]! + drop
      if (row[j - 1]! + extras[from + j - 1]! < least) least = row[j - 1]! + extras[from + j - 1]!
      const isSwapped =
        i > 1 && j > 1 && letter === codes[from + j - 2] && one.codes[one.from + i - 2] === its
      if (isSwapped && last[j - 2]! + SWAPPED < least) least = last[j - 2]! + SWAPPED
      row[j] = least
      if (least < lowest) lowest = least
    }
    // Two letters that changed places count from the row before.
    if (lowest > most && lowestBefore > most) return lowest
    lowestBefore = lowest
    ;[last, before, row] = [before, row, last]
  }
  return before[width]!
}

function withoutVowels({ codes, extras, from, length }: Letters): Letters {
  const its = codes.subarray(from, from + length)
  const costs = its.map((letter, at) => (isUnwritten[letter] === 1 ? UNWRITTEN : extras[from + at]!))
  return { codes: its, extras: costs, from: 0, length }
}
