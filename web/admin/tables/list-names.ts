import { msg, translate } from '#shared/i18n/t.ts'

/** What the lists are called in a sentence, by their names in the address. */
const names: Record<string, string> = {
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

/** 'deposits', in the reader's language. */
export function listName(name: string): string {
  return translate(names[name] ?? name)
}
