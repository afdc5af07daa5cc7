import { useMemo, useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'
import type { Column } from '#web/ui/table.tsx'

/** Which columns of the console's tables are on show: the operator's choice, kept in this browser, in all its tabs. */

/** A column of a table, whether it is among those that are on show at first, and by what its header sorts, which way first. */
export type ListColumn<Row> = Column<Row> & {
  extra?: boolean
  sort?: { key: string; descendingFirst?: boolean }
}

const key = 'console-columns'
const changed = signal()

type Choices = Record<string, string[]>

function written(): string {
  return localStorage.getItem(key) ?? ''
}

function choicesIn(text: string): Choices {
  try {
    const choices: unknown = JSON.parse(text)
    return typeof choices === 'object' && choices !== null ? (choices as Choices) : {}
  } catch {
    // Nothing is kept, or somebody else has written there.
    return {}
  }
}

/** The headers that are on show of a list: those that were chosen and exist, else those that are shown at first. */
export function shownOf(columns: readonly ListColumn<never>[], chosen: unknown): string[] {
  const known = columns.map(({ header }) => header)
  const some = Array.isArray(chosen) ? known.filter(header => chosen.includes(header)) : []
  return some.length > 0 ? some : columns.filter(({ extra }) => !extra).map(({ header }) => header)
}

function onChange(listener: () => void): () => void {
  const stop = changed.on(listener)
  addEventListener('storage', listener)
  return () => {
    stop()
    removeEventListener('storage', listener)
  }
}

export type ColumnChoice<Row = never> = {
  /** The headers of the columns on show. */
  shown: readonly string[]
  /** They themselves: the same list as long as the choice is, so that of many rows only what is new is drawn. */
  visible: readonly ListColumn<Row>[]
  /** The last one on show stays. */
  toggle: (header: string) => void
  /** Other columns than at first are on show. */
  isOwn: boolean
  reset: () => void
}

/** The operator's choice of a list's columns. */
export function useColumnChoice<Row>(list: string, columns: readonly ListColumn<Row>[]): ColumnChoice<Row> {
  const choices = choicesIn(useSyncExternalStore(onChange, written, () => ''))
  const shown = shownOf(columns, choices[list])
  const first = shownOf(columns, undefined)
  const named = shown.join('|')
  const visible = useMemo(
    () => columns.filter(({ header }) => named.split('|').includes(header)),
    [columns, named],
  )
  function keep(chosen: string[] | undefined) {
    const { [list]: _, ...others } = choicesIn(written())
    localStorage.setItem(key, JSON.stringify(chosen === undefined ? others : { ...others, [list]: chosen }))
    changed.emit()
  }
  return {
    shown,
    visible,
    toggle(header) {
      const next = shown.includes(header) ? shown.filter(one => one !== header) : [...shown, header]
      if (next.length > 0) keep(next)
    },
    isOwn: shown.join() !== first.join(),
    reset: () => keep(undefined),
  }
}
