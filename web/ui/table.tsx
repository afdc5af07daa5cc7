import { memo, type ReactNode } from 'react'
import { cx } from './cx.ts'

export type Column<Row> = {
  header: string
  cell: (row: Row) => ReactNode
  /** Figures stand at the right, in tabular numerals. */
  numeric?: boolean
  /** The header is for screen readers only: actions. */
  bare?: boolean
}

type TableProps<Row> = {
  /** What the table holds; read out, not shown. */
  caption: string
  /** The same list at every rendering, where there may be many rows. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Many columns: where they have not enough room, a row becomes a block of labelled values. */
  wide?: boolean
  /**
   * A list that may become very long: a class that sets `--tracks`, the widths of its columns. They do not depend on the
   * rows then, so that those far from the window cost nothing.
   */
  tracks?: string
  /** What stands in a header in place of its name, which it says too; and how the column is sorted (aria-sort). */
  headOf?: (column: Column<Row>) => { content: ReactNode; sorted?: 'ascending' | 'descending' | 'none' }
  /** What stands before a row's first value: a tick. The same function at every rendering. */
  lead?: (row: Row) => ReactNode
}

/**
 * A table that becomes a list of labelled rows on phones (styles/table.css). The roles are said outright because
 * a table that is laid out as blocks loses them.
 */
export function Table<Row>({ caption, columns, rows, keyOf, wide, tracks, headOf, lead }: TableProps<Row>) {
  const table = (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above.
    <table
      role="table"
      className={cx('stack-table', tracks)}
      data-wide={wide || undefined}
      data-long={tracks === undefined ? undefined : true}
    >
      <caption className="sr-only">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(column => (
            <th
              key={column.header}
              role="columnheader"
              scope="col"
              data-numeric={column.numeric || undefined}
              aria-sort={headOf?.(column).sorted}
              aria-label={headOf?.(column).sorted && column.header}
            >
              {headOf?.(column).content ?? (
                <span className={cx(column.bare && 'sr-only')}>{column.header}</span>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(row => (
          <Row
            key={keyOf(row)}
            row={row}
            columns={columns as readonly Column<unknown>[]}
            lead={lead as RowProps['lead']}
          />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above.
  )
  return wide ? <div className="table-room">{table}</div> : table
}

type RowProps = {
  row: unknown
  columns: readonly Column<unknown>[]
  lead?: (row: unknown) => ReactNode
}

/** Made once for as long as the row and the columns are the same: of a long list only what is new is made. */
const Row = memo(function Row({ row, columns, lead }: RowProps) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see Table.
    <tr role="row">
      {columns.map((column, place) => (
        <td
          key={column.header}
          role="cell"
          data-label={column.bare ? undefined : column.header}
          data-numeric={column.numeric || undefined}
        >
          {place === 0 && lead ? (
            <div className="flex items-start gap-3">
              {lead(row)}
              <div className="min-w-0">{column.cell(row)}</div>
            </div>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see Table.
  )
})
