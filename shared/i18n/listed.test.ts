import { expect, test } from 'vitest'
import { inLanguage } from '#server/platform/language.ts'
import { listed } from './listed.ts'

test.each([
  ['en', 'a, b and c', 'a, b or c', 'a, b, c'],
  ['de', 'a, b und c', 'a, b oder c', 'a, b und c'],
  ['es', 'a, b y c', 'a, b o c', 'a, b y c'],
] as const)('a list is written as the language does: %s', (language, and, or, plain) => {
  inLanguage(language, () => {
    expect(listed(['a', 'b', 'c'], 'and')).toBe(and)
    expect(listed(['a', 'b', 'c'], 'or')).toBe(or)
    expect(listed(['a', 'b', 'c'])).toBe(plain)
  })
})
