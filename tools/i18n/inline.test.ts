import { expect, test } from 'vitest'
import { inlineTexts } from './inline.ts'

const imports = "import { msg, t, translate } from '#shared/i18n/t.ts'\nimport { tr } from '#web/tr.ts'\n"
const inlined = (code: string) => inlineTexts('page.tsx', `${imports}${code}`, 'en').trim()

test('the words stand where the code wrote a text', () => {
  expect(inlined("const name = msg('Log in')")).toBe('const name = "Log in"')
  expect(inlined('const words = translate(name)')).toBe('const words = (name)')
})

test('values and texts in values are put in', () => {
  expect(inlined("t('Until {day}', { day: t('today') })")).toBe('`Until ${("today")}`')
})

test('plurals and counts are chosen as the language does', () => {
  expect(inlined("t('{n, plural, =0 {none} one {# day} other {# days}}', { n })")).toBe(
    'import * as $intl from \'#shared/i18n/intl.ts\';`${$intl.plural((n),{"=0":"none","one":`${$intl.number((n))} day`,"other":`${$intl.number((n))} days`})}`'.replace(
      "';",
      "';\n\n",
    ),
  )
})

test('elements inside of a text become the children that it had', () => {
  const link = 'words => <a href={path}>{words}</a>'
  expect(inlined(`<p>{tr('See <a>the plans</a> of {firm}.', { a: ${link}, firm })}</p>`)).toBe(
    '<p>{"See "}{<a href={path}>{"the plans"}</a>}{" of "}{(firm)}{"."}</p>',
  )
})
