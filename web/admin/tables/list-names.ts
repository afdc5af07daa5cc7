import { msg, translate } from '#shared/i18n/t.ts'

/** What the lists are called in a sentence, by their names in the address. */
const names = {
  users: msg('users'),
  deposits: msg('deposits'),
  withdrawals: msg('withdrawals'),
  investments: msg('investments'),
  earnings: msg('earnings'),
  returns: msg('returns'),
  checks: msg('checks'),
  cases: msg('cases'),
  matches: msg('matches'),
  messages: msg('messages'),
}
export type ListName = keyof typeof names

/** 'deposits', in the reader's language. */
export function listName(name: ListName): string {
  return translate(names[name])
}
