import { expect, test } from 'vitest'
import { type ListColumn, shownOf } from './columns.ts'

const column = (header: string, extra = false): ListColumn<never> => ({ header, extra, cell: () => null })
const columns = [column('Amount'), column('User'), column('Settled', true)]

test('shows the specified columns by default', () => {
  expect(shownOf(columns, undefined)).toEqual(['Amount', 'User'])
})

test('shows chosen columns in the order of the table', () => {
  expect(shownOf(columns, ['Settled', 'Amount'])).toEqual(['Amount', 'Settled'])
})

test.each([[[]], [['Gone']], ['Amount'], [null], [{ 0: 'Amount' }]])(
  'an invalid choice counts as none: %j',
  chosen => {
    expect(shownOf(columns, chosen)).toEqual(['Amount', 'User'])
  },
)
