import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '#shared/i18n/t.ts'
import { Button } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Table, type TableProps } from '#web/ui/table.tsx'

/** Rows on a phone until all are shown; the class below hides the rest. */
const atFirst = 3
const folded = 'max-[44rem]:[&_tbody>tr:nth-child(n+4)]:hidden'

/** What the rows stand for. */
export type RowKind = 'weeks' | 'months' | 'groups' | 'plans' | 'coins'

/** A table of which a phone shows the first rows only, until more are asked for. */
export function FoldedTable<Row>({ of, ...table }: TableProps<Row> & { of: RowKind }) {
  const [isOpen, setOpen] = useState(false)
  const count = table.rows.length
  const button = useRef<HTMLButtonElement>(null)
  function toggle() {
    flushSync(() => setOpen(!isOpen))
    // What folds above the button takes it out of sight.
    button.current?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <div className={cx('grid grid-cols-1 gap-3', !isOpen && folded)}>
      <Table {...table} />
      {count > atFirst && (
        <Button
          ref={button}
          tone="quiet"
          size="sm"
          aria-expanded={isOpen}
          onClick={toggle}
          className="justify-self-start min-[44rem]:hidden"
        >
          {isOpen ? fewerWords(of) : allWords(of, count)}
        </Button>
      )}
    </div>
  )
}

function allWords(rows: RowKind, count: number): string {
  return t(
    '{rows, select, weeks {Show all weeks ({count})} months {Show all months ({count})} groups {Show all groups ({count})} plans {Show all plans ({count})} other {Show all coins ({count})}}',
    { rows, count },
  )
}

function fewerWords(rows: RowKind): string {
  return t(
    '{rows, select, weeks {Show fewer weeks} months {Show fewer months} groups {Show fewer groups} plans {Show fewer plans} other {Show fewer coins}}',
    { rows },
  )
}
