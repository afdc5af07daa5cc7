import { describe, expect, test } from 'vitest'
import { linesToComplete, readLines } from './own-lines.ts'

const rows = ['W-1', 'W-2', 'W-3'].map(name => ({ name }))
const named = { rows, nameOf: ({ name }: { name: string }) => name }
const errorOf = (_: unknown, value: string) => (value.startsWith('bad') ? 'it is bad' : undefined)
const read = (text: string) => readLines(text, named, { errorOf })

describe('[N-13] lines of names and values', () => {
  test('give each record its own, in whatever order and whatever separates them', () => {
    expect(read('W-3\tc\n\n  W-1, a\nW-2;b\r\n')).toEqual({ values: ['a', 'b', 'c'] })
  })

  test('a line for all is for all records without their own', () => {
    expect(read(`${linesToComplete(named)}all shared`)).toEqual({ values: ['shared', 'shared', 'shared'] })
    expect(read('W-2 own\nAll shared')).toEqual({ values: ['shared', 'own', 'shared'] })
  })

  test('the lines that are given to complete name the first record without a value', () => {
    expect(linesToComplete(named)).toBe('W-1 \nW-2 \nW-3 \n')
    expect(read(linesToComplete(named))).toEqual({ error: 'W-1: enter its transaction id' })
  })

  test.each([
    ['a value that cannot be', 'W-1 a\nW-2 bad\nall c', 'W-2: it is bad'],
    ['a record that is not selected', 'W-9 a', 'W-9 is not among the selected'],
    ['two values of one record', 'W-1 a\nW-1 b', 'W-1 has two lines'],
    ['two values for all', 'all a\nall b', 'There are two lines for all'],
    ['a value on the line below its name', 'W-1\na\nW-2\nW-3', 'a: enter a number before it, or all'],
    ['two values on one line', 'W-1 a b', 'W-1: enter one transaction id on its line'],
  ])('%s is refused with what to do', (_, text, error) => {
    expect(read(text)).toEqual({ error })
  })
})
