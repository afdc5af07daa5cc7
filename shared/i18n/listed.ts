import { perLanguage } from './intl.ts'

const lists = perLanguage(({ dates }) => ({
  and: new Intl.ListFormat(dates, { type: 'conjunction' }),
  or: new Intl.ListFormat(dates, { type: 'disjunction' }),
  plain: new Intl.ListFormat(dates, { type: 'unit' }),
}))

/** A list as the language writes it: 'a, b and c', 'a, b or c', or plainly 'a, b, c'. */
export function listed(parts: Iterable<string>, as: 'and' | 'or' | 'plain' = 'plain'): string {
  return lists()[as].format(parts)
}
