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

const code = (letter: string) => letters.indexOf(letter)
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

/**
 * A word as it sounds: folded, with the codes of its letters and what each costs if the other word lacks it. `unwritten`: its script writes
 * no vowels.
 */
export type Sound = {
  fold: string
  codes: Uint8Array
  extras: Uint8Array
  unwritten: boolean
  men: readonly string[]
}

export function soundOf(word: string, unwritten = false): Sound {
  const fold = folded(word)
  const codes = Uint8Array.from(fold, letter => Math.max(0, code(letter)))
  const extras = codes.map((letter, at) => (at === 0 && letter === H ? FIRST_H : extra[letter]!))
  return { fold, codes, extras, unwritten: unwritten || !/[aeiou]/.test(fold), men: menOf(fold) }
}

/** The names whose woman's form a word may be: 'Ivana' of Ivan, 'Evgenia' of Evgenii, 'Maria' as 'Mario'. Family names are not told apart. */
function menOf(fold: string): string[] {
  if (/..ja$/.test(fold)) return [fold.slice(0, -2), `${fold.slice(0, -2)}i`]
  const isWoman = /.{3}[ao]$/.test(fold) && !/(?:[oe]v|(?:[vn]s|n|[CST])k)[ao]$/.test(fold)
  return isWoman || /..[nlt]e$/.test(fold) ? [fold.slice(0, -1)] : []
}

const MOST = 40
const rows = [new Uint16Array(MOST + 1), new Uint16Array(MOST + 1), new Uint16Array(MOST + 1)]

/** Words less alike than this are other words. */
const WORD_FROM = 0.78

/** @returns from `WORD_FROM` to 1, for what sounds the same; 0 for other words */
export function likeness(one: Sound, other: Sound): number {
  const length = Math.max(one.codes.length, other.codes.length)
  if (length === 0 || length > MOST) return 0
  const unwritten = one.unwritten || other.unwritten
  const most = (1 - WORD_FROM) * WHOLE * length
  const cost = distance(one, other, { unwritten, most })
  return cost > most || areOfBothSexes(one, other) ? 0 : 1 - cost / (WHOLE * length)
}

/** A woman's name and a man's are alike, and never one person's. */
function areOfBothSexes(one: Sound, other: Sound): boolean {
  if (one.unwritten || other.unwritten || one.fold === other.fold) return false
  const isOf = (man: string) => man === one.fold || man === other.fold
  return one.men.some(man => isOf(man) || other.men.includes(man)) || other.men.some(isOf)
}

type Comparison = { unwritten: boolean; most: number }

/** Damerau-Levenshtein with these costs; beyond `most`, any cost above it. */
function distance(a: Sound, b: Sound, { unwritten, most }: Comparison): number {
  const [one, other] = [a.codes, b.codes]
  const [drops, adds] = unwritten ? [withoutVowels(a), withoutVowels(b)] : [a.extras, b.extras]
  const width = other.length
  let [last, before, row] = rows as [Uint16Array, Uint16Array, Uint16Array]
  let lowestBefore = 0
  before[0] = 0
  for (let j = 1; j <= width; j += 1) before[j] = before[j - 1]! + adds[j - 1]!
  for (let i = 1; i <= one.length; i += 1) {
    const letter = one[i - 1]!
    const changes = letter * SIZE
    const drop = drops[i - 1]!
    row[0] = before[0]! + drop
    let lowest = row[0]!
    for (let j = 1; j <= width; j += 1) {
      const its = other[j - 1]!
      let least = before[j - 1]! + exchange[changes + its]!
      if (before[j]! + drop < least) least = before[j]! + drop
      if (row[j - 1]! + adds[j - 1]! < least) least = row[j - 1]! + adds[j - 1]!
      const isSwapped = i > 1 && j > 1 && letter === other[j - 2] && one[i - 2] === its
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

function withoutVowels({ codes, extras }: Sound): Uint8Array {
  return extras.map((cost, at) => (isUnwritten[codes[at]!] === 1 ? UNWRITTEN : cost))
}
