import { useMemo, useSyncExternalStore } from 'react'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { signal } from '#web/api/signal.ts'
import type { Column } from '#web/ui/table.tsx'

/** Visible columns of the console's tables, kept in this browser for all its tabs: by their headers, so by language. */

/** A table column: hidden by default if `extra`, and how its header sorts. */
export type ListColumn<Row> = Column<Row> & {
  extra?: boolean
  sort?: { key: string; descendingFirst?: boolean }
}

const changed = signal()

type Choices = Record<string, string[]>

function key(): string {
  return languageNow() === sourceLanguage ? 'console-columns' : `console-columns-${languageNow()}`
}

function written(): string {
  return localStorage.getItem(key()) ?? ''
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

/** Chosen headers that exist, else the default ones. */
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
  /** Headers of the visible columns. */
  shown: readonly string[]
  /** The visible columns; stable while the choice is, so that rows need not redraw. */
  visible: readonly ListColumn<Row>[]
  /** Keeps the last visible one. */
  toggle: (header: string) => void
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
  const visible = useMemo(
    () => columns.filter(({ header }) => named.split('|').includes(header)),
    [columns, named],
  )
  function keep(chosen: string[] | undefined) {
    const { [list]: _, ...others } = choicesIn(written())
    localStorage.setItem(key(), JSON.stringify(chosen === undefined ? others : { ...others, [list]: chosen }))
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
