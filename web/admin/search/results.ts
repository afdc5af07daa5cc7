import type { Found, SearchKind } from '#shared/contract/search.ts'
import { msg, t } from '#shared/i18n/t.ts'
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
  user: 'Users',
  deposit: 'Deposits',
  withdrawal: 'Withdrawals',
  investment: 'Investments',
  earning: 'Earnings',
  payout: 'Payouts',
  return: 'Recorded returns',
  message: msg('Messages'),
}

/** Lists that find the same by one word; of the other kinds, few match one. */
const listOf: Partial<Record<SearchKind, (q: string) => string>> = {
  user: q => consolePaths.found('users', q),
  deposit: q => consolePaths.found('deposits', q),
  withdrawal: q => consolePaths.found('withdrawals', q),
  message: consolePaths.foundMessage,
}

const reasons: Partial<Record<Found['by'], string>> = {
  transaction: 'by transaction',
  address: 'by address',
  code: 'by referral code',
  id: 'by id',
}

/** What the server has found, grouped for the list. */
export function groupsOf(answer: Answer, q: string): ResultGroup[] {
  return answer.map(({ kind, results, hasMore }) => {
    // A list compares the whole text: of more words it finds less.
    const list = hasMore && !/\s/.test(q) ? listOf[kind]?.(q) : undefined
    return {
      title: titles[kind],
      results: results.map(found => resultOf(kind, found)),
      ...(list ? { all: { to: list, title: `All matching ${titles[kind].toLowerCase()}` } } : {}),
    }
  })
}

function resultOf(kind: SearchKind, { _id, title, detail, amount, by }: Found): Result {
  const details = [detail, reasons[by]].filter(words => words)
  return {
    to: recordPage(kind, _id),
    title: kind === 'earning' ? `Earning on ${title}` : title,
    ...(details.length > 0 ? { detail: details.join(', ') } : {}),
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
