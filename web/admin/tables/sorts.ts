import { t } from '#shared/i18n/t.ts'
import type { FilterField, SortOption } from './list-filter.ts'

/** Filters and sorts of a table. */
export type FilterSet = { fields: readonly FilterField[]; sorts: readonly SortOption[] }

// Sort options shared by several tables.

/** @param column its name in the reader's language */
export function byAmount(key: string, column: string): SortOption {
  return {
    key,
    ascending: t('{column}, smallest first', { column }),
    descending: t('{column}, largest first', { column }),
  }
}

/** @param column its name in the reader's language */
export function byTime(key: string, column: string): SortOption {
  return {
    key,
    ascending: t('{column}, earliest first', { column }),
    descending: t('{column}, latest first', { column }),
  }
}

/** @param column its name in the reader's language */
export function byWords(key: string, column: string): SortOption {
  return {
    key,
    ascending: t('{column}, A to Z', { column }),
    descending: t('{column}, Z to A', { column }),
  }
}
