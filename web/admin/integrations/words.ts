import type { ApiKeyRight } from '#shared/roles.ts'

/** What each right lets a key read. */
export const rightWords: Record<ApiKeyRight, string> = {
  console: 'The console: people, deposits, withdrawals, investments, earnings, payouts',
  books: 'The books: postings of every record',
  log: 'The audit log',
}

const short: Record<ApiKeyRight, string> = { console: 'Console', books: 'Books', log: 'Audit log' }

export function rightsInWords(rights: readonly ApiKeyRight[]): string {
  return rights.map(right => short[right]).join(', ')
}
