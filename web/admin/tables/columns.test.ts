import { expect, test } from 'vitest'
import { type ListColumn, shownOf } from './columns.ts'

const column = (key: string, header: string, extra = false): ListColumn<never> => ({
  key,
  header,
  extra,
  cell: () => null,
})
const columns = [column('amount', 'Amount'), column('user', 'User'), column('settled', 'Settled', true)]

test('shows the specified columns by default', () => {
  expect(shownOf(columns, undefined)).toEqual(['amount', 'user'])
})

test('shows chosen columns in the order of the table', () => {
  expect(shownOf(columns, ['settled', 'amount'])).toEqual(['amount', 'settled'])
})

test('a choice stays when the language, and with it each header, changes', () => {
  const german = [
    column('amount', 'Betrag'),
    column('user', 'Nutzer'),
    column('settled', 'Abgeschlossen', true),
  ]
  expect(shownOf(german, shownOf(columns, ['settled']))).toEqual(['settled'])
})

test.each([[[]], [['gone']], ['amount'], [null], [{ 0: 'amount' }]])(
  'an invalid choice counts as none: %j',
  chosen => {
    expect(shownOf(columns, chosen)).toEqual(['amount', 'user'])
  },
)
