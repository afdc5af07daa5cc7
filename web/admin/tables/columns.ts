import { useMemo, useSyncExternalStore } from 'react'
import { signal } from '#web/api/signal.ts'
import type { Column } from '#web/ui/table.tsx'

/** Visible columns of the console's tables, kept in this browser for all its tabs, in every language. */

/** A table column: the key by which a choice names it, hidden by default if `extra`, and how its header sorts. */
export type ListColumn<Row> = Column<Row> & {
  key: string
  extra?: boolean
  sort?: { key: string; descendingFirst?: boolean }
}

const changed = signal()

type Choices = Record<string, string[]>

const storageKey = 'console-columns'

function written(): string {
  return localStorage.getItem(storageKey) ?? ''
}

function choicesIn(text: string): Choices {
  try {
    const choices: unknown = JSON.parse(text)
    return typeof choices === 'object' && choices !== null ? (choices as Choices) : {}
  } catch {
    // Nothing stored, or something unreadable.
    return {}
  }
}

/** Keys of the chosen columns that exist, else of the default ones. */
export function shownOf(columns: readonly ListColumn<never>[], chosen: unknown): string[] {
  const known = columns.map(({ key }) => key)
  const some = Array.isArray(chosen) ? known.filter(key => chosen.includes(key)) : []
  return some.length > 0 ? some : columns.filter(({ extra }) => !extra).map(({ key }) => key)
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
  /** Keys of the visible columns. */
  shown: readonly string[]
  /** The visible columns; stable while the choice is, so that rows need not redraw. */
  visible: readonly ListColumn<Row>[]
  /** Keeps the last visible one. */
  toggle: (key: string) => void
  /** The choice differs from the default. */
  isOwn: boolean
  reset: () => void
}

/** The user's choice of columns. */
export function useColumnChoice<Row>(list: string, columns: readonly ListColumn<Row>[]): ColumnChoice<Row> {
  const choices = choicesIn(useSyncExternalStore(onChange, written, () => ''))
  const shown = shownOf(columns, choices[list])
  const first = shownOf(columns, undefined)
  const named = shown.join('|')
  const visible = useMemo(() => columns.filter(({ key }) => named.split('|').includes(key)), [columns, named])
  function keep(chosen: string[] | undefined) {
    const { [list]: _, ...others } = choicesIn(written())
    localStorage.setItem(
      storageKey,
      JSON.stringify(chosen === undefined ? others : { ...others, [list]: chosen }),
    )
    changed.emit()
  }
  return {
    shown,
    visible,
    toggle(key) {
      const next = shown.includes(key) ? shown.filter(one => one !== key) : [...shown, key]
      if (next.length > 0) keep(next)
    },
    isOwn: shown.join() !== first.join(),
    reset: () => keep(undefined),
  }
}
