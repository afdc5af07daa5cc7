import { msg } from '#shared/i18n/t.ts'
import { parseUsd } from '#shared/money.ts'
import { isDay, zone } from '#web/components/days.ts'
import { useSearch, withChanges } from '#web/search.ts'

/** A status filter option and its label, as all labels of filters in the reader's language. */
export type StatusOption = readonly [value: string, label: string]

/** A filter besides search and status. */
export type FilterField =
  | { kind: 'period'; label: string }
  | { kind: 'amount'; label: string }
  | {
      kind: 'choice'
      part: 'method' | 'wallet' | 'plan' | 'country' | 'origin' | 'assigned' | 'list' | 'rule' | 'kind'
      label: string
      all: string
      options: readonly StatusOption[]
    }

/** A sort key with labels for both directions. */
export type SortOption = { key: string; ascending: string; descending: string }

export type ListSpec = {
  statuses: readonly StatusOption[]
  fields?: readonly FilterField[]
  sorts?: readonly SortOption[]
}

const parts = [
  'q',
  'status',
  'sort',
  'from',
  'to',
  'amountFrom',
  'amountTo',
  'method',
  'wallet',
  'plan',
  'country',
  'origin',
  'assigned',
  'list',
  'rule',
  'kind',
] as const
export type Part = (typeof parts)[number]
export type FilterValues = Record<Part, string>

/** No filters. */
export const noValues = Object.fromEntries(parts.map(part => [part, ''])) as FilterValues

/** Search, filters and sort order of a console list, kept in the address. */
export type ListFilter = {
  q: string
  status: string
  /** 'amount', or '-amount' for largest first; empty for newest first. */
  sort: string
  /** All values; invalid ones are ignored. */
  values: FilterValues
  /** Number of fields set. */
  fieldsSet: number
  /** A search, a status or a field is set. */
  isSet: boolean
  /** The query of the calls. */
  query: Record<string, string>
  change: (next: Partial<FilterValues>) => void
  /** Clears everything but the sort order. */
  clear: () => void
}

/**
 * Address parameter of a list's filter: `?deposits=pending&deposits-q=ada&deposits-sort=-amount`, or `?status=…&q=…`
 * for a page's only list.
 */
export function keyOf(list: string | undefined, part: Part): string {
  if (list === undefined) return part
  return part === 'status' ? list : `${list}-${part}`
}

/** The address's parameters after a change; empty values are removed. */
export function withFilter(params: URLSearchParams, list: string | undefined, next: Partial<FilterValues>) {
  const changes = Object.entries(next).map(([part, value]) => [keyOf(list, part as Part), value])
  return withChanges(params, Object.fromEntries(changes))
}

/** Parameters of a form field. */
export function partsOf(field: FilterField): readonly Part[] {
  if (field.kind === 'period') return ['from', 'to']
  return field.kind === 'amount' ? ['amountFrom', 'amountTo'] : [field.part]
}

/** The filter in an address; invalid parts are ignored. */
export function filterIn(
  params: URLSearchParams,
  { statuses, fields = [], sorts = [] }: ListSpec,
  list?: string,
) {
  const values = { ...noValues }
  const written = (part: Part) => params.get(keyOf(list, part)) ?? ''
  const one = (part: Part, known: readonly string[]) => {
    values[part] = known.includes(written(part)) ? written(part) : ''
  }
  values.q = written('q')
  one(
    'status',
    statuses.map(([value]) => value),
  )
  one(
    'sort',
    sorts.flatMap(({ key }) => [key, `-${key}`]),
  )
  for (const field of fields) {
    if (field.kind === 'choice')
      one(
        field.part,
        field.options.map(([value]) => value),
      )
    else
      for (const part of partsOf(field)) values[part] = isAskable(field, written(part)) ? written(part) : ''
  }
  return values
}

function isAskable({ kind }: FilterField, text: string): boolean {
  if (kind === 'period') return isDay(text)
  return /^\d+(\.\d{1,2})?$/.test(text) && (parseUsd(text) ?? 0n) > 0n
}

const daysError = msg('The last day cannot be before the first. Only the first is applied.')
const amountsError = msg('The largest amount cannot be below the smallest. Only the smallest is applied.')

/** Errors of a period or amount range: texts named by `msg`. */
export function rangeErrors({ from, to, amountFrom, amountTo }: FilterValues): string[] {
  const isTurned = amountFrom !== '' && amountTo !== '' && parseUsd(amountTo)! < parseUsd(amountFrom)!
  return [...(from !== '' && to !== '' && to < from ? [daysError] : []), ...(isTurned ? [amountsError] : [])]
}

/** The calls' query; search and status are always sent. */
export function queryOf(values: FilterValues): Record<string, string> {
  const errors = rangeErrors(values)
  const { q, status, ...rest } = values
  const asked = {
    ...rest,
    ...(errors.includes(daysError) ? { to: '' } : {}),
    ...(errors.includes(amountsError) ? { amountTo: '' } : {}),
  }
  const set = Object.entries(asked).filter(([, value]) => value !== '')
  const isOfDays = values.from !== '' || values.to !== ''
  return { q, status, ...Object.fromEntries(set), ...(isOfDays ? { zone: zone() } : {}) }
}

/** The filter in the address of the list's own page: `?status=pending&q=ada`, or nothing. */
export function searchOf({ values }: Pick<ListFilter, 'values'>): string {
  const search = withFilter(new URLSearchParams(), undefined, values).toString()
  return search === '' ? '' : `?${search}`
}

/**
 * Search, filters and sort order in the address.
 * @param spec the list's filters and sorts; anything else in the address is ignored
 */
export function useListFilter(spec: ListSpec, list?: string): ListFilter {
  const [params, replaceSearch] = useSearch()
  const values = filterIn(params, spec, list)
  const { q, status, sort } = values
  const fieldsSet = (spec.fields ?? []).filter(field =>
    partsOf(field).some(part => values[part] !== ''),
  ).length
  const change = (next: Partial<FilterValues>) => replaceSearch(current => withFilter(current, list, next))
  const nothing = Object.fromEntries(parts.filter(part => part !== 'sort').map(part => [part, '']))
  return {
    q,
    status,
    sort,
    values,
    fieldsSet,
    isSet: q !== '' || status !== '' || fieldsSet > 0,
    query: queryOf(values),
    change,
    clear: () => change(nothing),
  }
}
