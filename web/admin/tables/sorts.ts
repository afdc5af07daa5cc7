import { t, translate } from '#shared/i18n/t.ts'
import type { FilterField, SortOption } from './list-filter.ts'

/** Filters and sorts of a table. */
export type FilterSet = { fields: readonly FilterField[]; sorts: readonly SortOption[] }

// Sort options shared by several tables. Constants have them: they are written when they are shown.

/** @param column a text named by `msg` */
export function byAmount(key: string, column: string): SortOption {
  return {
    key,
    get ascending() {
      return t('{column}, smallest first', { column: translate(column) })
    },
    get descending() {
      return t('{column}, largest first', { column: translate(column) })
    },
  }
}

/** @param column a text named by `msg` */
export function byTime(key: string, column: string): SortOption {
  return {
    key,
    get ascending() {
      return t('{column}, earliest first', { column: translate(column) })
    },
    get descending() {
      return t('{column}, latest first', { column: translate(column) })
    },
  }
}

/** @param column a text named by `msg` */
export function byWords(key: string, column: string): SortOption {
  return {
    key,
    get ascending() {
      return t('{column}, A to Z', { column: translate(column) })
    },
    get descending() {
      return t('{column}, Z to A', { column: translate(column) })
    },
  }
}
