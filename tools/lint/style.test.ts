import { expect, test } from 'vitest'
import { check } from './rules.ts'

const vocabulary = {
  words: { 'frob back': 'reverse', 'wib*': 'sync' },
  names: { zap: 'error' },
  specified: ['Nothing to frob back'],
}
const lines = (file: string, text: string) => check(file, text, vocabulary).map(({ line }) => line)

test('finds a private word in prose and in every form of an identifier', () => {
  for (const text of ['To Frob back.', 'frobBackAll()', 'frob_back_units', 'frob-back', 'WIB', 'wibbling']) {
    expect(lines('a.ts', `\n${text}\n`), text).toEqual([2])
  }
  expect(lines('a.ts', 'frobbing backwards, a swib')).toEqual([])
})

test('finds a private phrase that a comment wraps over two lines', () => {
  expect(lines('a.ts', '/**\n * It can frob\n * back.\n */')).toEqual([2])
})

test('finds a private word in the name of a file', () => {
  expect(lines('server/frob-back.ts', '')).toEqual([1])
})

test('finds a private word within a name and at its declaration', () => {
  for (const text of [
    'ChainZap',
    'mergeZaps()',
    'zapOf',
    'ZapPage',
    'zappyField',
    'ZAP_LIMIT',
    'catch (zap) {',
    'const zaps',
  ]) {
    expect(lines('a.ts', `\n${text}\n`), text).toEqual([2])
  }
  expect(lines('server/startup-zap.ts', '')).toEqual([1])
})

test('allows a private name alone, in snake_case and in a longer word', () => {
  for (const text of [
    'a zap',
    '({ zaps }) => zaps > 0',
    'row.zap_at',
    'chain_zap',
    'unzap',
    'UNZAP_ALL',
    'unzapAll',
  ])
    expect(lines('a.ts', text), text).toEqual([])
})

test('refuses the clock of the machine on the server, except in its tests', () => {
  const text = 'new Date(at)\nDate.now()\nnew Date()\nsystemClock'
  expect(lines('server/deposits/expire.ts', text)).toEqual([2, 3, 4])
  expect(lines('server/deposits/expire.test.ts', text)).toEqual([])
  expect(lines('tools/console.ts', text)).toEqual([])
})

test('names the word and its standard term', () => {
  expect(check('a.md', 'He wibbles', vocabulary)).toEqual([
    { file: 'a.md', line: 1, problem: '"wibbles" is a private word, write: sync' },
  ])
})

test('allows a private word in a specified text only', () => {
  expect(lines('a.md', '“Nothing to frob back”')).toEqual([])
  expect(lines('a.md', '“Nothing to frob back” frob back')).toEqual([1])
})

test('finds long titles, however the test is declared', () => {
  const long = 'x'.repeat(81)
  for (const declared of [
    `test('${long}', () => {})`,
    `it.only("${long}")`,
    `describe.each([['(']])(\`${long}\`, () => {})`,
    `test.describe(\n'${long}')`,
    `test('${long.slice(1)}' + 'x')`,
  ]) {
    expect(check('a.test.ts', declared, vocabulary), declared).toHaveLength(1)
    expect(check('a.ts', declared, vocabulary), declared).toEqual([])
  }
})

test('counts neither the ids before a title nor the values inserted into it', () => {
  const most = 'x'.repeat(80)
  for (const title of [`'[A-01, B-02] ${most}'`, `\`${most}\${withALongExpression}\``]) {
    expect(lines('a.e2e.ts', `test(${title}, () => {})`), title).toEqual([])
  }
  expect(lines('a.test.ts', `\ntest('[A-01] ${most}x')`)).toEqual([2])
})

test('finds a rule for any sibling in a style sheet', () => {
  expect(lines('a.css', '.a {}\n.a > * + * {}\n.b ~ *,\n.c + .d {}')).toEqual([2, 3])
  expect(lines('a.css', '.a > *,\n.b * {}\n.c:has(~ :focus, ~ * :focus) {}')).toEqual([])
  expect(lines('a.ts', 'a + *{')).toEqual([])
})
