import type { StatementAccount, StatementKind } from '#shared/contract/entities.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { replaceSearch, useSearch } from '#web/search.ts'
import { type Days, dayOf, daysOf, isDay, type Preset, presets } from './period.ts'

/** Which part of the statement is on show; kept in the address: `?period=3m&account=held&kind=withdrawal`. */
export type StatementFilter = {
  account: StatementAccount | undefined
  kind: StatementKind | undefined
  days: Days
  /** The preset that the days are of; undefined where they are the reader's own. */
  preset: Preset | undefined
}

const keys = ['account', 'kind', 'period', 'from', 'to'] as const
type Changes = Partial<Record<(typeof keys)[number], string>>

/** The filter in an address; what cannot be asked for counts as nothing. */
export function filterOf(params: URLSearchParams, today: string): StatementFilter {
  const day = (key: string) => {
    const text = params.get(key) ?? ''
    return isDay(text) ? text : undefined
  }
  const own = { from: day('from'), to: day('to') }
  const isOwn = own.from !== undefined || own.to !== undefined
  const asked = params.get('period') ?? ''
  const preset = presets.find(([name]) => name === asked)?.[0] ?? ''
  return {
    account: keyOf(accountNames, params.get('account')),
    kind: keyOf(kindNames, params.get('kind')),
    days: isOwn ? own : daysOf(preset, today),
    preset: isOwn ? undefined : preset,
  }
}

function keyOf<Key extends string>(names: Record<Key, string>, text: string | null): Key | undefined {
  return (Object.keys(names) as Key[]).find(key => key === text)
}

/** The address after a change; what is empty is not written. */
export function withChanges(params: URLSearchParams, changes: Changes): URLSearchParams {
  const changed = new URLSearchParams(params)
  for (const key of keys) {
    const value = changes[key]
    if (value === undefined) continue
    if (value === '') changed.delete(key)
    else changed.set(key, value)
  }
  return changed
}

export function useStatementFilter() {
  const filter = filterOf(useSearch(), dayOf(new Date()))
  const change = (changes: Changes) => replaceSearch(params => withChanges(params, changes))
  return {
    ...filter,
    setAccount: (account: string) => change({ account }),
    setKind: (kind: string) => change({ kind }),
    setPreset: (period: Preset) => change({ period, from: '', to: '' }),
    /** The other end stays where it is, whatever it was a preset of. */
    setDays: ({ from, to }: Days) => change({ period: '', from: from ?? '', to: to ?? '' }),
    clear: () => change({ account: '', kind: '', period: '', from: '', to: '' }),
  }
}

/** The filter as the calls take it. Days are those of the reader's own zone, in which every time on the pages is shown. */
export function queryOf({ account, kind, days }: StatementFilter) {
  return { account, kind, ...days, zone: new Intl.DateTimeFormat().resolvedOptions().timeZone }
}
