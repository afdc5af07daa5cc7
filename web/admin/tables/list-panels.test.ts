import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { type FilterField, type ListFilter, noValues } from './list-filter.ts'
import { FilterPanel } from './list-panels.tsx'

afterEach(() => languageFrom(() => undefined))

const filter = { values: noValues, sort: '', fieldsSet: 0 } as ListFilter

/** The filters of a list as a German reader sees them. */
function germanPanel(field: FilterField): string {
  languageFrom(() => 'de')
  return renderToStaticMarkup(
    createElement(FilterPanel, { of: 'Anlagen', filter, fields: [field], sorts: [] }),
  )
}

test('a name that people gave is never translated', () => {
  const options = [['Pending', 'Pending']] as const
  const html = germanPanel({ kind: 'choice', part: 'plan', label: 'Plan', all: 'Alle Pläne', options })
  expect(html).toContain('<option value="Pending">Pending</option>')
})
