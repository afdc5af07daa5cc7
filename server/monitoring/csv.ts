import type { CsvColumn } from '#server/queries/table-csv.ts'
import { ruleLabels } from '#shared/monitoring.ts'
import type { CaseRow, MovementRow } from './queries.ts'

/** The columns of the cases CSV. */
export const caseColumns: readonly CsvColumn<CaseRow>[] = [
  ['Found', ({ found_at }, { moment }) => moment(found_at)],
  ['Status', ({ decision }) => decision ?? 'open'],
  ['User', ({ user_name }, { text }) => text(user_name)],
  ['User id', ({ user_id }) => user_id],
  ['Rule', ({ rule }) => ruleLabels[rule]],
  ['Moved', ({ kind }) => kind],
  ['Amount (USD)', ({ cents }, { usd }) => usd(cents)],
  ['Movements', ({ movements }) => String(movements)],
  ['First', ({ first_at }, { moment }) => moment(first_at)],
  ['Last', ({ last_at }, { moment }) => moment(last_at)],
  ['Limit (USD)', ({ limit_cents }, { usd }) => usd(limit_cents)],
  ['Decided', ({ decided_at }, { moment }) => moment(decided_at)],
  ['Decided by', ({ decided_by_name }, { text }) => text(decided_by_name)],
  ['Reason', ({ reason }, { text }) => text(reason)],
  ['Id', ({ id }) => id],
]

/** The columns of the report of a case: a line for each movement, with its person. */
export const reportColumns: readonly CsvColumn<MovementRow>[] = [
  ['Case', ({ case_id }) => case_id],
  ['Rule', ({ rule }) => ruleLabels[rule]],
  ['Name', ({ name }, { text }) => text(name)],
  ['Email', ({ email }, { text }) => text(email)],
  ['Phone', ({ phone }, { text }) => text(phone)],
  ['Country', ({ country }, { text }) => text(country)],
  ['Account since', ({ since }, { moment }) => moment(since)],
  ['User id', ({ user_id }) => user_id],
  ['Met the rule', ({ is_found }) => (is_found ? 'yes' : 'no')],
  ['Moved', ({ kind }) => kind],
  ['Number', ({ number }) => number],
  ['Time', ({ at }, { moment }) => moment(at)],
  ['Amount (USD)', ({ cents }, { usd }) => usd(cents)],
  ['Coin', ({ coin }, { text }) => text(coin)],
  ['Address', ({ address }, { text }) => text(address)],
  ['Transaction id', ({ transaction_id }, { text }) => text(transaction_id)],
  ['Status', ({ status }) => status],
  ['Record id', ({ record_id }) => record_id],
]
