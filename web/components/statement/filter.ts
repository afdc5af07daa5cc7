import type { StatementAccount, StatementKind } from '#shared/contract/entities.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { zone } from '#web/components/days.ts'
import { dayOf } from '#web/components/period/period.ts'
import { type Period, periodIn, usePeriod } from '#web/components/period/use-period.ts'
import { useSearch, withChanges } from '#web/search.ts'

/** The statement's filter, kept in the address: `?period=3m&account=held&kind=withdrawal`. */
export type StatementFilter = Period & {
  account: StatementAccount | undefined
  kind: StatementKind | undefined
}

/** The filter in an address; invalid parts are ignored. */
export function filterOf(params: URLSearchParams, today: string): StatementFilter {
  return {
    account: keyOf(accountNames, params.get('account')),
    kind: keyOf(kindNames, params.get('kind')),
    ...periodIn(params, today),
  }
}

function keyOf<Key extends string>(names: Record<Key, string>, text: string | null): Key | undefined {
  return (Object.keys(names) as Key[]).find(key => key === text)
}

export function useStatementFilter() {
  const period = usePeriod()
  const [params, replaceSearch] = useSearch()
  const filter = filterOf(params, dayOf(new Date()))
  const change = (changes: Record<string, string>) => replaceSearch(current => withChanges(current, changes))
  return {
    ...period,
    ...filter,
    setAccount: (account: string) => change({ account }),
    setKind: (kind: string) => change({ kind }),
    clear: () => change({ account: '', kind: '', period: '', from: '', to: '' }),
  }
}

/** The filter as calls take it, with days in the user's time zone. */
export function queryOf({ account, kind, days }: StatementFilter) {
  return { account, kind, ...days, zone: zone() }
}

/** True if the filter hides anything. */
export function isFiltered({ account, kind, preset }: StatementFilter): boolean {
  return account !== undefined || kind !== undefined || preset !== ''
}
