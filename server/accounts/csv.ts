import type { CsvColumn } from '#server/queries/table-csv.ts'
import type { UserRow } from './queries.ts'

/** The columns of the users' CSV. */
export const userColumns: readonly CsvColumn<UserRow>[] = [
  ['Name', ({ name }, { text }) => text(name)],
  ['Email', ({ email }, { text }) => text(email)],
  ['Email verified', ({ email_verified_at }, { moment }) => moment(email_verified_at)],
  ['Country', ({ country }, { text }) => text(country)],
  ['Phone', ({ phone }, { text }) => text(phone)],
  ['Type', ({ type }) => type],
  ['Referrer', ({ referrer_name }, { text }) => text(referrer_name)],
  ['Referral code', ({ referral_code }, { text }) => text(referral_code)],
  ['Balance', ({ available }, { usd }) => usd(available)],
  ['On hold', ({ held }, { usd }) => usd(held)],
  ['In plans', ({ invested }, { usd }) => usd(invested)],
  ['Currency', () => 'USD'],
  ['Registered', ({ created_at }, { moment }) => moment(created_at)],
  ['Id', ({ id }) => id],
]
