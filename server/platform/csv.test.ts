import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsv } from '#test/support/csv.ts'
import { csvLine, textCell } from './csv.ts'

test.each([
  ['Deposit received', 'Deposit received'],
  ['a, b', '"a, b"'],
  ['They said "no"', '"They said ""no"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['', ''],
  ['=1+1', `"'=1+1"`],
  ['=HYPERLINK("https://example.com","here")', `"'=HYPERLINK(""https://example.com"",""here"")"`],
  ['+61 400', `"'+61 400"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['  =1', `"'  =1"`],
  ['\t=1', `"'\t=1"`],
  ['\r1', `"'\r1"`],
  ['＝1', `"'＝1"`],
  ['a=b', 'a=b'],
  ['0x-1', '0x-1'],
])('the text %j is the cell %j', (text, cell) => {
  expect(textCell(text)).toBe(cell)
})

test('any texts can be read back, and none begins a formula', () => {
  const text = fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n",;\' aé漢＝') })
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 3 }), { minLength: 1 }), rows => {
      const read = parseCsv(rows.map(row => csvLine(row.map(textCell))).join(''))
      expect(read.map(row => row.map(cell => cell.replace(/^'/, '')))).toEqual(
        rows.map(row => row.map(cell => cell.replace(/^'/, ''))),
      )
      for (const cell of read.flat()) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/)
    }),
  )
})
