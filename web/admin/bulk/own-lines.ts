import { t } from '#shared/i18n/t.ts'
/** Fields that each record of a bulk action needs of its own, such as its transaction id, as lines of one text field. */

export type OwnLines<Row> = {
  /** The request's field. */
  field: string
  label: string
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
  { errorOf, label }: Pick<OwnLines<Row>, 'errorOf' | 'label'>,
): { values: string[] } | { error: string } {
  const names = new Set(rows.map(nameOf))
  const own = new Map<string, string>()
  let common: string | undefined
  for (const line of text.split('\n')) {
    const [first = '', second, ...more] = line.split(/[\s,;]+/).filter(word => word !== '')
    if (first === '' || (names.has(first) && second === undefined)) continue
    if (more.length > 0) return { error: `${first}: enter one ${label.toLowerCase()} on its line` }
    if (second === undefined) return { error: `${first}: enter a number before it, or all` }
    if (first.toLowerCase() === 'all') {
      if (common !== undefined && common !== second) return { error: t('There are two lines for all') }
      common = second
    } else if (!names.has(first)) return { error: `${first} is not among the selected` }
    else if (own.has(first) && own.get(first) !== second) return { error: `${first} has two lines` }
    else own.set(first, second)
  }
  const values: string[] = []
  for (const row of rows) {
    const value = own.get(nameOf(row)) ?? common
    if (value === undefined) return { error: `${nameOf(row)}: enter its ${label.toLowerCase()}` }
    const error = errorOf(row, value)
    if (error !== undefined) return { error: `${nameOf(row)}: ${error}` }
    values.push(value)
  }
  return { values }
}
