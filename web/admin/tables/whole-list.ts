import { type ListFilter, noValues, queryOf } from './list-filter.ts'

/** Of a list that is neither searched nor filtered: all there is of one record. */
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
