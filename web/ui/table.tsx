import { memo, type ReactNode } from 'react'
import { translate } from '#shared/i18n/t.ts'
import { cx } from './cx.ts'

export type Column<Row> = {
  /** Named by `msg`, or in the reader's language. */
  header: string
  cell: (row: Row) => ReactNode
  /** Right-aligned tabular figures. */
  numeric?: boolean
  /** Header for screen readers only. */
  bare?: boolean
}

export type TableProps<Row> = {
  /** Accessible caption, not visible. */
  caption: string
  /** Must be stable for long lists. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** With little space, each row becomes a block of labelled values. */
  wide?: boolean
  /** For long lists: a class with fixed column widths (`--tracks`), so that rows out of sight need no layout. */
  tracks?: string
  /** Replaces a header's content and sets its sort state (aria-sort). */
  headOf?: (column: Column<Row>) => { content: ReactNode; sorted?: 'ascending' | 'descending' | 'none' }
  /** Rendered before a row's first value, for example a checkbox. Must be stable. */
  lead?: (row: Row) => ReactNode
}

/**
 * A table that becomes a list on phones (styles/table.css). Explicit roles, because block layout removes the implicit
 * ones.
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
              aria-label={headOf?.(column).sorted && translate(column.header)}
            >
              {headOf?.(column).content ?? (
                <span className={cx(column.bare && 'sr-only')}>{translate(column.header)}</span>
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

/** Memoised, so that a long list renders only new rows. */
const Row = memo(function Row({ row, columns, lead }: RowProps) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see Table.
    <tr role="row">
      {columns.map((column, place) => (
        <td
          key={column.header}
          role="cell"
          data-label={column.bare ? undefined : translate(column.header)}
          data-numeric={column.numeric || undefined}
        >
          {place === 0 && lead ? (
            <div className="flex grow items-start gap-3">
              {lead(row)}
              <div className="ms-auto min-w-0 min-[44rem]:ms-0">{column.cell(row)}</div>
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
