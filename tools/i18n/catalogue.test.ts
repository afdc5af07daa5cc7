import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogueFiles, findTexts, problemsOf, readCatalogue, sources } from './catalogue.ts'

const inCode = (code: string) => findTexts([{ path: 'web/site/page.tsx', code: `${imports}${code}` }])
const imports = "import { msg, t, translate } from '#shared/i18n/t.ts'\nimport { tr } from '#web/tr.ts'\n"

test('every text of the product is translated, with its values and plurals', () => {
  const found = findTexts(sources())
  const known = readCatalogue()
  const problems = [...found.messages.values()].flatMap(message =>
    problemsOf(message, known.get(message.key)),
  )
  expect([...found.problems, ...problems]).toEqual([])
  expect(found.messages.size).toBeGreaterThan(900)
})

test('the catalogue has the texts of the code and no others', () => {
  const files = catalogueFiles(findTexts(sources()), readCatalogue())
  for (const [path, content] of files) expect(readFileSync(path, 'utf8'), path).toBe(content)
})

test('a text that is no literal, or is written while a module loads, is refused', () => {
  const { problems } = inCode("const now = t('Now')\nexport const later = (text: string) => t(text)\n")
  expect(problems).toEqual([
    'web/site/page.tsx:3 No language is known while a module is loaded: name the text with msg().',
    'web/site/page.tsx:4 The text must be a literal. A text that a constant names is written with translate().',
  ])
})

test('a function of texts that is passed on, or has another name, is refused', () => {
  for (const [code, kind] of [
    ['export const all = (texts: string[]) => texts.map(translate)', 'translate'],
    ['export const page = <Page words={t} />', 't'],
    ['export const page = <Page>{translate}</Page>', 'translate'],
    ['const words = tr', 'tr'],
    ['let words\nwords = t', 't'],
    ['export const given = { translate }', 'translate'],
    ['export const given = { words: translate }', 'translate'],
    ['export const given = [msg]', 'msg'],
    ['export const words = (isPlain: boolean) => (isPlain ? t : translate)', 't'],
    ['export const words = (given = translate) => given', 'translate'],
    ["import { msg as m } from '#shared/i18n/t.ts'", 'msg'],
    ['export { t }', 't'],
  ]) {
    const { problems } = inCode(`${code}\n`)
    expect(problems[0], code).toMatch(new RegExp(` The build .*: call ${kind}\\(…\\) by this name\\.$`))
  }
})

test('other things of the same name are no functions of texts', () => {
  for (const code of [
    'export const ids = (all: { id: string }[]) => all.map(t => t.id)',
    'export const last = (given: { t: number }) => given.t',
    'export const given = { t: 1, msg: 2 }',
    'export const page = <Page t="1" />',
    'export const row = <tr><td /></tr>',
    'export type Words = typeof translate',
    'export const words = (msg: string) => [msg, { msg }]',
  ])
    expect(inCode(`${code}\n`).problems, code).toEqual([])
})

test('a text gets exactly the values that it names', () => {
  const { problems } = inCode(
    "export const words = (day: string) => t('Until {day} at {time}', { day, hour: day })\n",
  )
  expect(problems).toEqual([
    'web/site/page.tsx:3 "Until {day} at {time}" needs the values day, time; it gets day, hour.',
  ])
})

test('texts in the values of another are found, and contexts kept apart', () => {
  const { messages } = inCode(
    "export const words = () => t('See {what}', { what: t('Open', {}, 'a status') }) + t('Open')\n",
  )
  expect([...messages.keys()]).toEqual(['See {what}', 'Open [a status]', 'Open'])
})

test('a translation without a value, a plural or all words is told', () => {
  const { messages } = inCode(
    "export const words = (n: number) => t('{n, plural, one {# day} other {# days}}', { n })\n",
  )
  const [message] = messages.values()
  const told = (de: string, ar: string) =>
    problemsOf(message!, { de, ar, es: '{n, plural, one {# día} other {# días}}' }).map(problem =>
      problem.split(': ').slice(1).join(': '),
    )
  expect(
    told('', '{n, plural, zero {} one {يوم} two {يومان} few {# أيام} many {# يومًا} other {# يوم}}'),
  ).toEqual(['not translated'])
  expect(told('Tage', '{n, plural, one {يوم} other {# يوم}}')).toEqual([
    'other values or tags than in English: n',
    'no plural for zero, two, few, many',
  ])
})
