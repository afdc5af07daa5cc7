import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import type { Cell, Row } from './columns.ts'
import type { ArchiveTable, Source } from './table.ts'

/** The cells of a table's rows, in order. */
export function cellsOf({ columns }: ArchiveTable): Cell[] {
  return Object.entries(columns).flatMap(([name, column]) => column(name))
}

/** A table as JSON: an array with an object on each line. */
export async function* asJson(table: ArchiveTable, source: Source): AsyncGenerator<Uint8Array> {
  const cells = cellsOf(table)
  const object = (row: Row) =>
    JSON.stringify(Object.fromEntries(cells.map(({ name, value }) => [name, value(row)])))
  let before = '[\n'
  for await (const rows of table.rows(source)) {
    const objects = await mapInSlices(rows, object)
    if (objects.length === 0) continue
    yield Buffer.from(before + objects.join(',\n'))
    before = ',\n'
  }
  yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n')
}

/** The same as CSV, with the same names in its first line. */
export async function* asCsv(table: ArchiveTable, source: Source): AsyncGenerator<Uint8Array> {
  const cells = cellsOf(table)
  yield Buffer.from(byteOrderMark + csvLine(cells.map(({ name }) => name)))
  for await (const rows of table.rows(source)) {
    const lines = await mapInSlices(rows, row => csvLine(cells.map(cell => csvCell(cell, row))))
    yield Buffer.from(lines.join(''))
  }
}

function csvCell({ value, isPlain }: Cell, row: Row): string {
  const found = value(row)
  if (found === null) return ''
  if (typeof found !== 'object') return isPlain ? `${found}` : textCell(`${found}`)
  return textCell(isList(found) ? found.join('; ') : JSON.stringify(found))
}

const isList = (value: object): value is readonly string[] => Array.isArray(value)
