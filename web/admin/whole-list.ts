import type { ListFilter } from './list-filter.ts'

/** Of a list that is neither searched nor filtered: all there is of one record. */
export const wholeList: ListFilter = { q: '', status: '', isSet: false, change() {}, clear() {} }
