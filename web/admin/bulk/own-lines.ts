import { t } from '#shared/i18n/t.ts'

/** The transaction id that each record of a bulk action needs of its own, as lines of one text field. */

export type OwnLines<Row> = {
  /** The request's field. */
  field: string
  /** Named by `msg`. */
  hint: string
  /** Why this cannot be the record's value. */
  errorOf: (row: Row, value: string) => string | undefined
}

type Named<Row> = { rows: readonly Row[]; nameOf: (row: Row) => string }

/** A line for each record, to be completed. */
export function linesToComplete<Row>({ rows, nameOf }: Named<Row>): string {
  return rows.map(row => `${nameOf(row)} \n`).join('')
}

/**
 * Reads lines of a record's name and its value, separated by spaces, tabs, commas or semicolons (columns of a
 * spreadsheet). `all` in place of a name gives a value to all records without their own.
 * @returns the value of each record, in the order of `rows`; or an error that says what to do
 */
export function readLines<Row>(
  text: string,
  { rows, nameOf }: Named<Row>,
  { errorOf }: Pick<OwnLines<Row>, 'errorOf'>,
): { values: string[] } | { error: string } {
  const names = new Set(rows.map(nameOf))
  const own = new Map<string, string>()
  let common: string | undefined
  for (const line of text.split('\n')) {
    const [first = '', second, ...more] = line.split(/[\s,;]+/).filter(word => word !== '')
    if (first === '' || (names.has(first) && second === undefined)) continue
    if (more.length > 0)
      return { error: t('{record}: enter one transaction id on its line', { record: first }) }
    if (second === undefined) return { error: t('{line}: enter a number before it, or all', { line: first }) }
    if (first.toLowerCase() === 'all') {
      if (common !== undefined && common !== second) return { error: t('There are two lines for all') }
      common = second
    } else if (!names.has(first)) return { error: t('{record} is not among the selected', { record: first }) }
    else if (own.has(first) && own.get(first) !== second)
      return { error: t('{record} has two lines', { record: first }) }
    else own.set(first, second)
  }
  const values: string[] = []
  for (const row of rows) {
    const value = own.get(nameOf(row)) ?? common
    if (value === undefined)
      return { error: t('{record}: enter its transaction id', { record: nameOf(row) }) }
    const error = errorOf(row, value)
    if (error !== undefined) return { error: t('{record}: {error}', { record: nameOf(row), error }) }
    values.push(value)
  }
  return { values }
}
