import type { Found, SearchKind } from '#shared/contract/search.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type ListName, listName } from '#web/admin/tables/list-names.ts'
import { consolePaths, recordPage } from '#web/console-paths.ts'

/** One line of the results, which leads to its page. */
export type Result = {
  to: string
  title: string
  detail?: string
  /** In USD. */
  amount?: number
}
export type ResultGroup = {
  title: string
  results: Result[]
  /** Leads to all that match, if there are more. */
  all?: Result
}

type Answer = readonly { kind: SearchKind; results: readonly Found[]; hasMore: boolean }[]

const titles: Record<SearchKind, string> = {
  user: msg('Users'),
  deposit: msg('Deposits'),
  withdrawal: msg('Withdrawals'),
  investment: msg('Investments'),
  earning: msg('Earnings'),
  payout: msg('Payouts'),
  return: msg('Recorded returns'),
  message: msg('Messages'),
}

/** Lists that find the same by one word; of the other kinds, few match one. */
const listOf: Partial<Record<SearchKind, { name: ListName; to: (q: string) => string }>> = {
  user: { name: 'users', to: q => consolePaths.found('users', q) },
  deposit: { name: 'deposits', to: q => consolePaths.found('deposits', q) },
  withdrawal: { name: 'withdrawals', to: q => consolePaths.found('withdrawals', q) },
  message: { name: 'messages', to: consolePaths.foundMessage },
}

const reasons: Partial<Record<Found['by'], string>> = {
  transaction: msg('by transaction'),
  address: msg('by address'),
  code: msg('by referral code'),
  id: msg('by id'),
}

/** What the server has found, grouped for the list. */
export function groupsOf(answer: Answer, q: string): ResultGroup[] {
  return answer.map(({ kind, results, hasMore }) => {
    // A list compares the whole text: of more words it finds less.
    const list = hasMore && !/\s/.test(q) ? listOf[kind] : undefined
    return {
      title: translate(titles[kind]),
      results: results.map(found => resultOf(kind, found)),
      ...(list
        ? { all: { to: list.to(q), title: t('All matching {records}', { records: listName(list.name) }) } }
        : {}),
    }
  })
}

function resultOf(kind: SearchKind, { _id, title, detail, amount, by }: Found): Result {
  const reason = reasons[by]
  const why = reason && translate(reason)
  const details = detail && why ? t('{detail}, {reason}', { detail, reason: why }) : detail || why
  return {
    to: recordPage(kind, _id),
    title: kind === 'earning' ? t('Earning on {investment}', { investment: title }) : title,
    ...(details ? { detail: details } : {}),
    ...(amount === null ? {} : { amount }),
  }
}

type Page = { to: string; label: string }

/** Pages of the menu with a word that begins with the text. */
export function pagesFor(pages: readonly Page[], q: string): ResultGroup[] {
  const wanted = q.toLowerCase()
  const results = pages
    .filter(({ label }) => ` ${label.toLowerCase()}`.includes(` ${wanted}`))
    .map(({ to, label }) => ({ to, title: label }))
  return results.length === 0 ? [] : [{ title: t('Pages'), results }]
}
