import anyAscii from 'any-ascii'

/**
 * A word of a name as it is compared: in Latin letters, lower case, without marks. `unwritten`: its script writes no vowels.
 */
export type NameWord = { text: string; unwritten: boolean }

/** The words of a name. */
export type NameWords = {
  /** What tells people apart. */
  words: readonly NameWord[]
  /** Other readings of one of them, or of neighbours as one ('Jeanpierre'), with the positions in `words` that they stand for. */
  others: readonly { text: string; at: readonly number[] }[]
}

/** A word of a name, or another reading of words: `at` has a bit for each one that it stands for. */
export type Reading = NameWord & { at: number; isWord: boolean; isJoined: boolean }

export function readingsOf({ words, others }: NameWords): Reading[] {
  return [
    ...words.map((word, n) => ({ ...word, at: 1 << n, isWord: true, isJoined: false })),
    ...others.map(({ text, at }) => ({
      text,
      unwritten: at.some(n => words[n]!.unwritten),
      at: at.reduce((all, n) => all | (1 << n), 0),
      isWord: false,
      isJoined: at.length > 1,
    })),
  ]
}

/**
 * Of a name with more words, the longest ones: an account's name has fewer (mostNameWords). Each is a bit of a number. Longer words than
 * people have are not read to their end.
 */
const MOST_WORDS = 30
const MOST_LETTERS = 32

const titles = new Set(
  `mr mrs ms miss dr prof professor sir dame lord lady don dona jr sr junior senior ii iii iv esq phd md eng ing haji hajji hajj
   hadj hadji alhaji sheikh shaykh sheik shaikh cheikh mullah mulla molla maulavi mawlawi maulana mawlana molvi moulavi qari ustad
   hafiz imam ayatollah hojatoleslam emir amir-ul brigadier general gen colonel col lieutenant lt major maj captain capt commander admiral
   marshal sergeant herr frau monsieur madame mme sayyed`.split(/\s+/),
)

/** Joined to a name or left out, as the writer likes. */
const particles = new Set(
  `al el ul ur as ad ar az ash bin ben ibn bint ould wuld bou bu de da do dos das del della di du la le las los lo van von der den
   ter ten zu zum zur af av y e i the`.split(/\s+/),
)

/** The servant of: never a name of its own. */
const servants = new Set(['abd', 'abdul', 'abdel', 'abdal', 'abdoul', 'abdool', 'abdur', 'abdus', 'abdu'])
const articles = new Set(['al', 'el', 'ul', 'ur', 'us', 'ar', 'as', 'er', 'or', 'ol', 'il'])
/** What names end with, written alone or not: 'Jalal al-Din', 'Zia ur Rahman', 'Aman Ullah'. */
const endings = new Set([
  'din',
  'deen',
  'dine',
  'rahman',
  'rehman',
  'haq',
  'haqq',
  'huq',
  'hak',
  'allah',
  'ullah',
  'ollah',
  'islam',
])

type Raw = { text: string; unwritten: boolean }

/** Reads a name in any script. */
export function wordsOf(name: string): NameWords {
  const all = longest(withEndings(withServants(latin(name))))
  const untitled = all.filter(({ text }) => !titles.has(text))
  const isName = ({ text }: Raw) => !particles.has(text)
  // A name of particles alone is somebody's name.
  if (!untitled.some(isName)) return readOf(untitled.length > 0 ? untitled : all, () => true)
  return readOf(untitled, isName)
}

function longest(words: Raw[]): Raw[] {
  if (words.length <= MOST_WORDS) return words
  const kept = new Set(words.toSorted((a, b) => b.text.length - a.text.length).slice(0, MOST_WORDS))
  return words.filter(word => kept.has(word))
}

const vowelless = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

function latin(name: string): Raw[] {
  if (/^[A-Za-z ]*$/.test(name)) return split(name.toLowerCase()).map(text => ({ text, unwritten: false }))
  const parts = name
    .normalize('NFC')
    .replace(/['’ʼ`´ʻʿʾ‘"]/g, '')
    // Letters that other languages write with several.
    .replace(/[đĐ]/g, 'dj')
    // Each Chinese or Korean sign is a syllable.
    .replace(/[\p{Script=Han}\p{Script=Hangul}]/gu, ' $& ')
    .split(/[\s\p{P}]+/u)
  return parts.flatMap(part => {
    const unwritten = vowelless.test(part)
    // The Arabic article belongs to no name.
    const text = anyAscii(unwritten ? part.replace(/^ال(?=\p{L}{3})/u, '') : part)
    return split(text.toLowerCase().replace(/[^a-z ]+/g, '')).map(word => ({ text: word, unwritten }))
  })
}

function split(text: string): string[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map(word => word.slice(0, MOST_LETTERS))
}

/** 'abd al rahman', 'abdul rahman', 'abdurrahman' and so on are one word. */
function withServants(words: readonly Raw[]): Raw[] {
  const found: Raw[] = []
  for (let at = 0; at < words.length; at += 1) {
    const { text, unwritten } = words[at]!
    if (!servants.has(text) && !(unwritten && text === 'bd')) {
      found.push({ text: servantOf(text), unwritten })
      continue
    }
    const of = articles.has(words[at + 1]?.text ?? '') ? at + 2 : at + 1
    found.push({ text: servantOf(`abdul${words[of]?.text ?? ''}`), unwritten })
    at = of
  }
  return found
}

function servantOf(text: string): string {
  if (/^abd[aeiou]*l?l[aou]?h$/.test(text)) return 'abdullah'
  return text.replace(/^abd[aeiou]+l?(?=[a-z]{3})/, 'abd').replace(/^abd([rszn])\1/, 'abd$1')
}

/** 'jalal al din', 'jalaluddin' and so on are one word. */
function withEndings(words: readonly Raw[]): Raw[] {
  const found: Raw[] = []
  for (const word of words) {
    if (!endings.has(word.text)) {
      found.push({ ...word, text: endingOf(word.text) })
      continue
    }
    const article = articles.has(found.at(-1)?.text ?? '') && found.length > 1 ? found.pop() : undefined
    const before = found.at(-1)
    if (before === undefined || before.text.length < 3 || particles.has(before.text)) {
      if (article) found.push(article)
      found.push(word)
      continue
    }
    found[found.length - 1] = {
      ...before,
      text: endingOf(`${before.text.replace(/[uo][rl]?$/, '')}u${word.text}`),
    }
  }
  return found
}

function endingOf(text: string): string {
  if (text.startsWith('abd')) return text
  return text
    .replace(/^([a-z]{3,}?)(?:[aeou]*l?|ou|oo)d+(?:in|een|ine)$/, '$1din')
    .replace(/^([a-z]{3,}?)(?:[aeou]*[rl]?)r[ae]hman$/, '$1rahman')
    .replace(/^([a-z]{3,}?)(?:[aeou]*l?)h[au]qq?$/, '$1haq')
    .replace(/^([a-z]{3,}?)(?:[aeou]+)l?lah$/, '$1ullah')
}

function readOf(all: readonly Raw[], counts: (word: Raw) => boolean): NameWords {
  const words: Raw[] = []
  const places = all.map(word => (counts(word) ? words.push(word) - 1 : null))
  const others: { text: string; at: number[] }[] = []
  const add = (from: number, to: number) => {
    const at = places.slice(from, to).filter(place => place !== null)
    const text = all
      .slice(from, to)
      .map(word => word.text)
      .join('')
    if (at.length > 0) others.push({ text, at })
  }
  for (const [n, { text, unwritten }] of all.entries()) {
    if (n + 1 < all.length && places[n + 1] !== null) add(n, n + 2)
    // 'de la Cruz' may be written as one.
    if (n + 2 < all.length && places[n] === null && places[n + 1] === null && places[n + 2] !== null)
      add(n, n + 3)
    // Arabic and Hebrew write some vowels with a letter that is a consonant elsewhere.
    if (unwritten && places[n] !== null && /.[wy]/.test(text)) {
      others.push({ text: text.replace(/(?<=.)w/g, 'u').replace(/(?<=.)y/g, 'i'), at: [places[n]!] })
    }
    const bare =
      /^[ae]l(?![aeiou])[a-z]{4,}$/.test(text) || /^al[aiu][a-z]{4,}$/.test(text) ? text.slice(2) : null
    if (bare !== null && places[n] !== null) others.push({ text: bare, at: [places[n]!] })
  }
  return { words, others }
}
