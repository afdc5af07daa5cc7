import { type ListFilter, noValues, queryOf } from './list-filter.ts'

/** Filter of a list without search or filters. */
export const wholeList: ListFilter = {
  q: '',
  status: '',
  sort: '',
  values: noValues,
  fieldsSet: 0,
  isSet: false,
  query: queryOf(noValues),
  change() {},
  clear() {},
}
