import { type ESTree, parseSync, Visitor } from 'vite'
import { plainRefusals } from './refusal-words.ts'

/**
 * Checks beyond Biome: private words where a standard term exists, the machine's clock, costly selectors, refusals in plain English,
 * and the length of test titles.
 */

/** Maximum length of a test title, without requirement ids and inserted values. */
export const TITLE_LIMIT_CHARACTERS = 80

export interface Finding {
  readonly file: string
  readonly line: number
  readonly problem: string
}

export interface Vocabulary {
  /** Private words and what to write instead. "vouch*" stands for every ending. */
  readonly words: Readonly<Record<string, string>>
  /** Words that no declared or camelCase name and no name of a file may contain. */
  readonly names: Readonly<Record<string, string>>
  /** Quotes that may contain a private word. */
  readonly specified: readonly string[]
}

const TEST_FILE = /\.(test|e2e)\.tsx?$|^test\/.*\.tsx?$/
const TEST_FUNCTIONS = ['test', 'it', 'describe']
const REQUIREMENT_IDS = /^\[[^\]]*\] /

/** Checks one file; `file` is its path from the project's folder. */
export function check(file: string, text: string, vocabulary: Vocabulary): Finding[] {
  return [
    ...machineClock(file, text),
    ...anySibling(file, text),
    ...privateWords(file, text, vocabulary),
    ...privateNames(file, text, vocabulary),
    ...(TEST_FILE.test(file) ? longTitles(file, text) : plainRefusals(file, text)),
  ]
}

/** Where the machine's clock decides nothing: it is compared, or names what a person reads. */
const CLOCK_READERS = [
  'server/platform/clock.ts',
  'server/platform/log-destination.ts',
  'server/config/validation.ts',
  'server/embedded/postmaster.ts',
]

/** The server decides by the database's clock (decision 139). */
function machineClock(file: string, text: string): Finding[] {
  if (!file.startsWith('server/') || TEST_FILE.test(file) || CLOCK_READERS.includes(file)) return []
  return [...text.matchAll(/\bDate\.now\b|\bnew Date\(\)|\bsystemClock\b/g)].map(({ 0: found, index }) => {
    const problem = `${found} is the machine's clock, write: services.clock, or performance.now() for a duration`
    return { file, line: lineAt(text, index), problem }
  })
}

/** With one such rule, browsers compute the style of a whole page anew whenever something is added anywhere in it. */
function anySibling(file: string, text: string): Finding[] {
  if (!file.endsWith('.css')) return []
  return [...text.matchAll(/[+~]\s*\*\s*[,{]/g)].map(({ index }) => {
    const problem =
      'any sibling (+ * or ~ *) costs each page its whole style, write: > *, with an exception of :first-child'
    return { file, line: lineAt(text, index), problem }
  })
}

function privateWords(file: string, text: string, { words, specified }: Vocabulary): Finding[] {
  const terms = Object.values(words)
  const alternatives = Object.keys(words).map(
    word => `(${word.replaceAll(' ', '\\s+').replaceAll('*', '\\w*')})`,
  )
  const pattern = new RegExp(`\\b(?:${alternatives.join('|')})\\b`, 'gi')
  const find = (searched: string) =>
    [...searched.matchAll(pattern)].map(match => {
      const [found, ...groups] = match
      const term = terms[groups.findIndex(group => group !== undefined)]
      const problem = `"${found.replaceAll(/\s+/g, ' ')}" is a private word, write: ${term}`
      return { file, line: lineAt(searched, match.index), problem }
    })
  const unquoted = specified.reduce((left, quote) => left.replaceAll(quote, ''), text)
  return [...find(separated(file)), ...find(separated(unquoted))]
}

function privateNames(file: string, text: string, { names }: Vocabulary): Finding[] {
  return Object.entries(names).flatMap(([word, term]) => {
    const inFile = file.search(new RegExp(`(?<![a-z])${word}`, 'i')) < 0 ? [] : [{ 0: file, index: 0 }]
    return [...inFile, ...text.matchAll(namesWith(word))].map(({ 0: name, index }) => {
      const problem = `"${name}" has the private word "${word}", write: ${term}`
      return { file, line: lineAt(text, index), problem }
    })
  })
}

/** Names that are declared with this word or have it as a part: vouches, vouchFor, BankVouch, VOUCH_LIMIT. */
function namesWith(word: string): RegExp {
  const capital = `${word[0]!.toUpperCase()}${word.slice(1)}`
  const declared = `(?<=\\b(?:class|type|interface|function|const|let|catch) \\(?)(?:${word}|${capital})\\w*`
  const first = `\\b(?:${word}|${capital})[a-z]*[A-Z]\\w*`
  const later = `\\w*[a-z0-9]${capital}\\w*`
  const constant = `(?<![A-Z])${word.toUpperCase()}_\\w*`
  return new RegExp([declared, first, later, constant].join('|'), 'g')
}

/** Splits identifiers, and joins wrapped comments: heldBack and "held\n * back" are both "held back". Keeps line breaks. */
function separated(text: string): string {
  return text
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[_-]/g, ' ')
    .replaceAll(/\n[ \t]*(?:\/\/|\*|#|>)?[ \t]*/g, '\n')
}

function longTitles(file: string, text: string): Finding[] {
  const findings: Finding[] = []
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (first === undefined || !TEST_FUNCTIONS.includes(rootName(callee))) return
      const { length } = literalPart(first).replace(REQUIREMENT_IDS, '')
      if (length <= TITLE_LIMIT_CHARACTERS) return
      const problem = `title of ${length} characters, at most ${TITLE_LIMIT_CHARACTERS} are allowed`
      findings.push({ file, line: lineAt(text, first.start), problem })
    },
  }).visit(parseSync(file, text).program)
  return findings
}

/** `test` for test(…), test.only(…) and test.each(…)(…). */
function rootName(callee: ESTree.Node): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression') return rootName(callee.object)
  return callee.type === 'CallExpression' ? rootName(callee.callee) : ''
}

/** The text of a title without the values inserted into it. */
function literalPart(node: ESTree.Node): string {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : ''
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('')
  return node.type === 'BinaryExpression' ? literalPart(node.left) + literalPart(node.right) : ''
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
