import type { FilterField, SortOption } from './list-filter.ts'

/** Filters and sorts of a table. */
export type FilterSet = { fields: readonly FilterField[]; sorts: readonly SortOption[] }

// Sort options shared by several tables.

export function byAmount(key: string, label: string): SortOption {
  return { key, ascending: `${label}, smallest first`, descending: `${label}, largest first` }
}

export function byTime(key: string, label: string): SortOption {
  return { key, ascending: `${label}, earliest first`, descending: `${label}, latest first` }
}

export function byWords(key: string, label: string): SortOption {
  return { key, ascending: `${label}, A to Z`, descending: `${label}, Z to A` }
}
